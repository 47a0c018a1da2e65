import type { UserCaller } from '../model/caller.ts';
import { atLeast } from '../model/permission.ts';
import { permissionIn } from '../repositories/repository-access.ts';
import { invalid, refuse } from '../errors/api-error.ts';
import { findIssue } from '../issues/issue-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import { makeIssueAPull } from './pull-change-store.ts';

/**
 * Turns an open issue into a pull's issue; its number, title and body stay. There is no way back, so it is for the
 * issue's author and for who may triage.
 */
export async function issueForPull(
  sql: RepositoryWrite,
  caller: UserCaller,
  repositoryId: number,
  number: number,
): Promise<{ id: number }> {
  const issue = await findIssue(sql, repositoryId, number);
  if (issue && issue.authorId !== caller.account.id) {
    const permission = await permissionIn(sql, caller, repositoryId, true);
    if (!atLeast(permission, 'triage')) {
      refuse({
        kind: 'forbidden',
        message: 'Must be the author of the issue or be able to triage it.',
      });
    }
  }
  const id = await makeIssueAPull(sql, repositoryId, number);
  if (id !== undefined) return { id };
  return invalid({ resource: 'PullRequest', field: 'issue', code: 'invalid' });
}
