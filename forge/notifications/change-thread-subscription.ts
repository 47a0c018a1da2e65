import { notFound } from '../errors/api-error.ts';
import { issuesById } from '../issues/issue-store.ts';
import type { UserCaller } from '../model/caller.ts';
import type { ThreadState } from '../model/notification.ts';
import type { Ports } from '../ports/ports.ts';
import { authorizeRepository } from '../repositories/repository-access.ts';
import { putThreadSubscription } from './thread-subscription-store.ts';
import { maySubscribe } from './visible-threads.ts';

/** Changes whether the caller gets the notifications of an issue or pull that it may read, also of an archived repository. */
export async function changeThreadSubscription(
  { database }: Pick<Ports, 'database'>,
  change: {
    readonly caller: UserCaller;
    readonly repositoryId: number;
    readonly issueId: number;
    readonly state: ThreadState;
    readonly now: number;
  },
): Promise<void> {
  const { caller, repositoryId, issueId, state, now } = change;
  await database.write(async (sql) => {
    await authorizeRepository(sql, caller, { id: repositoryId }, maySubscribe);
    // It may have been transferred to where the caller cannot read it.
    const issue = (await issuesById(sql, [issueId])).get(issueId);
    if (issue?.repositoryId !== repositoryId) notFound();
    const thread = { accountId: caller.account.id, issueId, repositoryId };
    await putThreadSubscription(sql, thread, state, now);
  });
}
