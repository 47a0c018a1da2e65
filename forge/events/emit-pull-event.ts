import type { Sql } from '#platform/database/database.ts';

import type { PullEvent } from '../model/domain-event.ts';
import { emitEvent } from './event-outbox-store.ts';

/** Emits an event of a pull to the webhooks of its repository. */
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
