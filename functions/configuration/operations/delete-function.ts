import { deleteFunction as deleteFunctionOperation } from '#functions-contract/operations/functions.ts';

import type { StructureOf } from '#functions-contract/shape.ts';

import { findAliasOfVersion } from '../../versions/alias-store.ts';
import { deleteProvisioned } from '../../concurrency/provisioned-store.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { FunctionsError, invalidParameter } from '../../errors/functions-error.ts';
import { forgetHandling } from '../../events/event-invoke-config-store.ts';
import { namesAlias, readFunctionName } from '../../model/function-name.ts';
import { deleteStatements } from '../../permissions/policy-store.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { functionNotFound } from '../../versions/find-function.ts';
import { latest } from '../function-record.ts';
import {
  deleteFunction,
  deleteVersion,
  findFunction,
  findVersion,
  listVersionIds,
} from '../function-store.ts';

type Output = StructureOf<(typeof deleteFunctionOperation)['output']>;

/** Deletes a function with all that belongs to it, or one version of it; a version that is not there is deleted already. */
export function serveDeleteFunction(ports: FunctionPorts): ServedOperation {
  const { database, settings, environments } = ports;
  return serve(deleteFunctionOperation, async ({ FunctionName, Qualifier }): Promise<Output> => {
    const { name, qualifier } = readFunctionName(FunctionName, settings, Qualifier);
    if (qualifier !== undefined && namesAlias(qualifier)) throw aliasesStay();
    if (qualifier === latest) throw latestStays();
    const gone = await database.write(async (sql) => {
      const found = await findFunction(sql, name);
      if (!found || qualifier === '$latest') throw functionNotFound(settings, name);
      if (qualifier === undefined) {
        const ids = await listVersionIds(sql, found.id);
        await deleteFunction(sql, found.id);
        return ids;
      }
      const alias = await findAliasOfVersion(sql, found.id, Number(qualifier));
      if (alias !== undefined) throw standsForAlias(qualifier, alias);
      const version = await findVersion(sql, name, Number(qualifier));
      await deleteVersion(sql, found.id, Number(qualifier));
      await deleteStatements(sql, found.id, qualifier);
      await deleteProvisioned(sql, found.id, qualifier);
      await forgetHandling(sql, found.id, qualifier);
      return version ? [version.id] : [];
    });
    for (const id of gone) environments.drain(id);
    return { StatusCode: 204 };
  });
}

function standsForAlias(version: string, alias: string): Error {
  return new FunctionsError(
    'ResourceConflictException',
    `Version ${version} cannot be deleted: alias ${alias} points to it. Update or delete the alias first.`,
  );
}

/** Told before the function is looked for (recorded). */
function aliasesStay(): Error {
  return invalidParameter('Deletion of aliases is not currently supported.');
}

/** Likewise (recorded). */
function latestStays(): Error {
  return invalidParameter('$LATEST version cannot be deleted without deleting the function.');
}
