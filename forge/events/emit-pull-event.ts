import type { Sql } from '#platform/database/database.ts';

import type { PullEvent } from '../model/domain-event.ts';
import { emitEvent } from './event-outbox-store.ts';

/** Tells the webhooks of a pull's repository what happened to it. */
export async function emitPullEvent(
  sql: Sql,
  pull: { readonly id: number; readonly repositoryId: number },
  actorId: number | null,
  happened: Pick<PullEvent, 'action' | 'before' | 'after' | 'changes' | 'about'>,
  now: number,
): Promise<void> {
  const { id: pullId, repositoryId } = pull;
  await emitEvent(sql, repositoryId, { event: 'pull_request', pullId, actorId, ...happened }, now);
}
