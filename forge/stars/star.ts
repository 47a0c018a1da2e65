import type { Sql } from '#platform/database/database.ts';

import { emitEvent } from '../events/event-outbox-store.ts';
import { writeRepository } from '../events/invalidate.ts';
import type { Ports } from '../ports/ports.ts';
import { deleteStar, insertStar } from './star-store.ts';

interface Starring {
  readonly actorId: number;
  readonly repositoryId: number;
  readonly now: number;
  /** Decides on access again, in the transaction. */
  readonly authorize: (sql: Sql) => Promise<unknown>;
}

/** Stars a repository; webhooks get an event of it only the first time. `watch` is what GitHub calls the same in its list of events. */
export async function starRepository(
  { database }: Pick<Ports, 'database'>,
  { actorId, repositoryId, now, authorize }: Starring,
): Promise<void> {
  await writeRepository(database, repositoryId, async (sql) => {
    await authorize(sql);
    if (!(await insertStar(sql, actorId, repositoryId, now))) return;
    const star = { event: 'star', action: 'created', starredAt: now, actorId } as const;
    await emitEvent(sql, repositoryId, star, now);
    await emitEvent(sql, repositoryId, { event: 'watch', action: 'started', actorId }, now);
  });
}

export async function unstarRepository(
  { database }: Pick<Ports, 'database'>,
  { actorId, repositoryId, now, authorize }: Starring,
): Promise<void> {
  await writeRepository(database, repositoryId, async (sql) => {
    await authorize(sql);
    if (!(await deleteStar(sql, actorId, repositoryId))) return;
    const star = { event: 'star', action: 'deleted', starredAt: null, actorId } as const;
    await emitEvent(sql, repositoryId, star, now);
  });
}
