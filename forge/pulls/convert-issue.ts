import type { Sql } from '#platform/database.ts';

import { invalid } from '../conventions/refusal.ts';
import { makeIssueAPull } from './pull-change-store.ts';

/** Turns an open issue into a pull's issue; its number, title and body stay. */
export async function issueForPull(
  sql: Sql,
  repositoryId: number,
  number: number,
): Promise<{ id: number }> {
  const id = await makeIssueAPull(sql, repositoryId, number);
  if (id !== undefined) return { id };
  return invalid({ resource: 'PullRequest', field: 'issue', code: 'invalid' });
}
