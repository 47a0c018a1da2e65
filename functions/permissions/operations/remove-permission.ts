import { removePermission } from '#functions-contract/operations/permissions.ts';

import { checkRevision } from '../../configuration/check-changeable.ts';
import { findFunction } from '../../configuration/function-store.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { functionArn, readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { findQualified } from '../../versions/find-qualified.ts';
import { noPolicy, noPolicyOf, noStatement } from '../policy-refusals.ts';
import { deleteStatement, listStatements } from '../policy-store.ts';
import { policyQualifier, revise, revisionOf } from '../policy-target.ts';

export function serveRemovePermission(ports: FunctionPorts): ServedOperation {
  const { database, settings, random } = ports;
  return serve(removePermission, async ({ FunctionName, StatementId, Qualifier, RevisionId }) => {
    const reference = readFunctionName(FunctionName, settings, Qualifier);
    const qualifier = policyQualifier(reference);
    const revisionId = random.id();
    await database.write(async (sql) => {
      if (!(await findFunction(sql, reference.name))) {
        throw noPolicyOf(functionArn(settings, reference.name));
      }
      const target = await findQualified(sql, settings, reference);
      const { length } = await listStatements(sql, target.functionId, qualifier);
      if (length === 0) throw noPolicy();
      checkRevision({ revisionId: revisionOf(target) }, RevisionId, 'GetPolicy');
      const deleted = await deleteStatement(sql, target.functionId, qualifier, StatementId);
      if (!deleted) throw noStatement(StatementId);
      await revise(sql, target, revisionId);
    });
    return {};
  });
}
