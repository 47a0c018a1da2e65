import type { Sql } from '#platform/database.ts';

import type { Protection, Pull } from '../pulls/pull.ts';

/** What the rules of a pull's base branch hold against merging it. No branch has rules yet. */
export async function protectionOf(
  _sql: Sql,
  _repositoryId: number,
  _pull: Pull,
): Promise<Protection> {
  return { blockedBecause: undefined, behind: false };
}
