import type { Ports } from '../ports.ts';
import { invalidateRepository } from '../response-cache/invalidate.ts';
import { completeChange } from './complete-change.ts';
import { movesThatHappened } from './happened-moves.ts';
import { openIntents, openIntentsOf, type RefIntent } from './intent-store.ts';
import {
  type AbandonedRepository,
  abandonedRepositories,
  deleteRepositoryRow,
} from '../repositories/repository-life-store.ts';
import { owesFarewell } from '../webhooks/farewell-store.ts';

export interface Reconciled {
  readonly intents: number;
  readonly repositories: number;
}

/**
 * Brings rows and refs together after a crash, before anybody is served (crash matrix C1 to C20). Refs are the truth for
 * code: a merge whose ref moved is finished, one whose ref did not is forgotten.
 */
export async function reconcile(ports: Ports): Promise<Reconciled> {
  const intents = await ports.database.read(openIntents);
  for (const intent of intents) await finishIntent(ports, intent);
  const abandoned = await ports.database.read(abandonedRepositories);
  for (const repository of abandoned) await removeAbandoned(ports, repository);
  return { intents: intents.length, repositories: abandoned.length };
}

/** Finishes an intent whose own request could not, whatever that is told; nothing when it is finished already. */
export function resumeLater(ports: Ports, intentId: number): void {
  ports.background.run(`ref intent ${intentId}`, async () => {
    const intents = await ports.database.read(openIntents);
    const intent = intents.find((candidate) => candidate.id === intentId);
    if (intent) await finishIntent(ports, intent);
  });
}

async function finishIntent(ports: Ports, intent: RefIntent): Promise<void> {
  const { repositoryId, refs, merge, actorId } = intent;
  const open = await ports.database.read((sql) => openIntentsOf(sql, repositoryId));
  const happened = await movesThatHappened(ports.git.repository(repositoryId), intent.refs, open);
  await completeChange(ports, {
    intentId: intent.id,
    repositoryId,
    moves: happened,
    refs: refs.map((move) => move.ref),
    now: ports.clock.now(),
    // The move of the base is the whole of it.
    merge: happened.length > 0 ? merge : undefined,
    actorId,
  });
}

/** A row in `creating` reserved a name for a repository that nobody was told of; `deleting` was on its way out. */
async function removeAbandoned(ports: Ports, repository: AbandonedRepository): Promise<void> {
  await ports.git.remove(repository.id);
  const now = ports.clock.now();
  await ports.database.write(async (sql) => {
    if (await owesFarewell(sql, repository.id, null, now)) return;
    await deleteRepositoryRow(await invalidateRepository(sql, repository.id), repository.id);
  });
}
