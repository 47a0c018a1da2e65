import type { Sql } from '#platform/database/database.ts';

import { refuse } from '../errors/api-error.ts';
import type { Caller } from '../model/caller.ts';
import { atLeast } from '../model/permission.ts';
import { permissionsIn } from '../repositories/repository-access.ts';
import { findTransferred, type TransferredIssue } from './transfer-issue-store.ts';

/** Where the issues are that had these numbers once, as far as the caller may read them there. */
export async function readableTransferred(
  sql: Sql,
  caller: Caller,
  repositoryId: number,
  numbers: readonly number[],
): Promise<TransferredIssue[]> {
  const found = await findTransferred(sql, repositoryId, numbers);
  if (found.length === 0) return [];
  const permissions = await permissionsIn(
    sql,
    caller,
    found.map((issue) => issue.repositoryId),
  );
  return found.filter((issue) => atLeast(permissions.get(issue.repositoryId) ?? 'none', 'read'));
}

/** Redirects to the issue that had this number once, if the caller may read it; else does nothing. */
export async function redirectTransferred(
  sql: Sql,
  caller: Caller,
  repositoryId: number,
  number: number,
): Promise<void> {
  const [issue] = await readableTransferred(sql, caller, repositoryId, [number]);
  if (issue) {
    refuse({ kind: 'issue-moved', repositoryId: issue.repositoryId, number: issue.number });
  }
}
