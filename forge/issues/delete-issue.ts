import { notFound, refuse } from '../errors/api-error.ts';
import { writeRepository } from '../events/invalidate.ts';
import type { UserCaller } from '../model/caller.ts';
import { atLeast } from '../model/permission.ts';
import type { Ports } from '../ports/ports.ts';
import { permissionIn } from '../repositories/repository-access.ts';
import { deleteIssueRows } from './delete-issue-store.ts';
import { issuesById } from './issue-store.ts';

/** Deletes an issue for an administrator of its repository, as on GitHub. Pulls cannot be deleted. */
export async function deleteIssue(
  { database }: Pick<Ports, 'database'>,
  request: {
    readonly repositoryId: number;
    readonly issueId: number;
    readonly caller: UserCaller;
    readonly now: number;
  },
): Promise<void> {
  const { repositoryId, issueId, caller, now } = request;
  const { login, id: actorId } = caller.account;
  await writeRepository(database, repositoryId, async (sql) => {
    if (!atLeast(await permissionIn(sql, caller, repositoryId, true), 'admin')) {
      const message = `${login} does not have permission to delete this issue.`;
      refuse({ kind: 'forbidden', message });
    }
    const issue = (await issuesById(sql, [issueId])).get(issueId);
    if (!issue || issue.pull || issue.repositoryId !== repositoryId) return notFound();
    await deleteIssueRows(sql, issue, { issueId, repositoryId, actorId, now });
  });
}
