import { deleteAlias as deleteAliasOperation } from '#functions-contract/operations/aliases.ts';

import { checkUnqualified, functionNotFound } from '../../versions/find-function.ts';
import { findFunction } from '../../configuration/function-store.ts';
import { deleteProvisioned } from '../../concurrency/provisioned-store.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { forgetHandling } from '../../events/event-invoke-config-store.ts';
import { readFunctionName } from '../../model/function-name.ts';
import { deleteStatements } from '../../permissions/policy-store.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { deleteUrl } from '../../urls/url-store.ts';
import { deleteAlias } from '../../versions/alias-store.ts';

/** One that is not there is deleted already. */
export function serveDeleteAlias({ database, settings }: FunctionPorts): ServedOperation {
  return serve(deleteAliasOperation, async ({ FunctionName, Name }) => {
    const name = checkUnqualified(readFunctionName(FunctionName, settings));
    await database.write(async (sql) => {
      const found = await findFunction(sql, name);
      if (!found) throw functionNotFound(settings, name);
      await deleteAlias(sql, found.id, Name);
      await deleteStatements(sql, found.id, Name);
      await deleteProvisioned(sql, found.id, Name);
      await deleteUrl(sql, found.id, Name);
      await forgetHandling(sql, found.id, Name);
    });
    return {};
  });
}
