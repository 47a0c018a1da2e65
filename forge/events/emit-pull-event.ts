import type { Sql } from '#platform/database/database.ts';

import type { PullHappening } from '../model/domain-event.ts';
import { announce } from './event-outbox-store.ts';

/** Tells the webhooks of a pull's repository what happened to it. */
export async function announcePull(
  sql: Sql,
  pull: { readonly id: number; readonly repositoryId: number },
  actorId: number | null,
  happened: Pick<PullHappening, 'action' | 'before' | 'after' | 'changes' | 'about'>,
  now: number,
): Promise<void> {
  const { id: pullId, repositoryId } = pull;
  await announce(sql, repositoryId, { event: 'pull_request', pullId, actorId, ...happened }, now);
}
