import { notFound, refuse } from '../errors/api-error.ts';
import { writeRepository } from '../events/invalidate.ts';
import type { UserCaller } from '../model/caller.ts';
import { atLeast } from '../model/permission.ts';
import type { Ports } from '../ports/ports.ts';
import { permissionIn } from '../repositories/repository-access.ts';
import { emitIssueEvent } from './issue-event-store.ts';
import { issuesById } from './issue-store.ts';
import { countPinned, setPinned } from './pin-store.ts';

/** Pinned issues of a repository, as on GitHub. */
export const pinnedMax = 3;

/** Pins an issue, or unpins it. Repeating it has no effect. */
export async function pinIssue(
  { database }: Pick<Ports, 'database'>,
  request: {
    readonly repositoryId: number;
    readonly issueId: number;
    readonly pinned: boolean;
    readonly caller: UserCaller;
    readonly now: number;
  },
): Promise<void> {
  const { repositoryId, issueId, pinned, caller, now } = request;
  await writeRepository(database, repositoryId, async (sql) => {
    if (!atLeast(await permissionIn(sql, caller, repositoryId, true), 'write')) {
      const message = `${caller.account.login} does not have permission to pin issues.`;
      refuse({ kind: 'forbidden', message });
    }
    const issue = (await issuesById(sql, [issueId])).get(issueId);
    if (!issue || issue.pull || issue.repositoryId !== repositoryId) return notFound();
    if (issue.pinned === pinned) return;
    if (pinned && (await countPinned(sql, repositoryId)) >= pinnedMax) {
      const message = `Maximum ${pinnedMax} pinned issues per repository`;
      refuse({ kind: 'unprocessable', message });
    }
    await setPinned(sql, issueId, pinned ? now : null);
    const change = { issueId, repositoryId, actorId: caller.account.id, now };
    await emitIssueEvent(sql, change, { event: pinned ? 'pinned' : 'unpinned' });
  });
}
