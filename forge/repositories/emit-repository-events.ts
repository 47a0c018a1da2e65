import type { Sql } from '#platform/database/database.ts';

import type { Repository, RepositoryUpdate } from '../model/repository.ts';
import type { RepositoryChanged } from '../model/domain-event.ts';
import { emitEvent } from '../events/event-outbox-store.ts';

/** Emits the events of an update of settings: a separate one for each webhook action. */
export async function emitRepositoryEvents(
  sql: Sql,
  before: Repository,
  update: RepositoryUpdate,
  actorId: number,
  now: number,
): Promise<void> {
  for (const change of changesOf(before, { ...before, ...update })) {
    await emitEvent(sql, before.id, { event: 'repository', actorId, ...change }, now);
  }
}

type Change = Pick<RepositoryChanged, 'action' | 'changes' | 'formerName'>;

function changesOf(before: Repository, after: Repository): Change[] {
  const event: Change[] = [];
  const changes = previousValues(before, after);
  if (after.name !== before.name) event.push({ action: 'renamed', formerName: before.name });
  if (Object.keys(changes).length > 0) event.push({ action: 'edited', changes });
  if (after.private !== before.private) {
    event.push({ action: after.private ? 'privatized' : 'publicized' });
  }
  if (after.archived !== before.archived) {
    event.push({ action: after.archived ? 'archived' : 'unarchived' });
  }
  return event;
}

function previousValues(
  before: Repository,
  after: Repository,
): NonNullable<RepositoryChanged['changes']> {
  return {
    ...(after.description === before.description
      ? {}
      : { description: { from: before.description } }),
    ...(after.homepage === before.homepage ? {} : { homepage: { from: before.homepage } }),
    ...(after.defaultBranch === before.defaultBranch
      ? {}
      : { default_branch: { from: before.defaultBranch } }),
  };
}
