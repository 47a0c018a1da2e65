import { getPolicy } from '#functions-contract/operations/permissions.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { findFunction, findVersion } from '../../configuration/function-store.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { noSuchResource } from '../../errors/no-such-resource.ts';
import { namesAlias, readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { findQualified } from '../../versions/find-qualified.ts';
import { listStatements } from '../policy-store.ts';
import { policyQualifier, revisionOf } from '../policy-target.ts';
import { policyText } from '../statement.ts';

type Output = StructureOf<(typeof getPolicy)['output']>;

/** Of what is not there, functions and versions alike, there is no policy. */
export function serveGetPolicy({ database, settings }: FunctionPorts): ServedOperation {
  return serve(getPolicy, async ({ FunctionName, Qualifier }): Promise<Output> => {
    const reference = readFunctionName(FunctionName, settings, Qualifier);
    const { name, qualifier } = reference;
    return database.read(async (sql) => {
      const there =
        qualifier === undefined || namesAlias(qualifier)
          ? await findFunction(sql, name)
          : /^\d+$/.test(qualifier) && (await findVersion(sql, name, Number(qualifier)));
      if (!there) throw noSuchResource();
      const target = await findQualified(sql, settings, reference);
      const statements = await listStatements(sql, target.functionId, policyQualifier(reference));
      if (statements.length === 0) throw noSuchResource();
      return { Policy: policyText(statements), RevisionId: revisionOf(target) };
    });
  });
}
