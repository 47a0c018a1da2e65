import type { RefMove } from '../git/git.ts';
import { noObject } from '../git/names.ts';
import type { Ports } from '../ports.ts';
import { completeChange } from './complete-change.ts';
import { refsOfOpenPulls } from '../pulls/pull-store.ts';
import { openIntents, type RefIntent } from './intent-store.ts';
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
  const repository = ports.git.repository(intent.repositoryId);
  const expected =
    intent.refs.length > 0
      ? intent.refs
      : await ports.database.read((sql) => refsOfOpenPulls(sql, intent.repositoryId));
  const moves: RefMove[] = [];
  for (const { ref, old } of expected) {
    const current = (await repository.readRef(ref)) ?? noObject;
    if (current !== old) moves.push({ ref, old, new: current });
  }
  const merge = intent.merge && (await mergeHappened(ports, intent)) ? intent.merge : undefined;
  await completeChange(ports, {
    intentId: intent.id,
    repositoryId: intent.repositoryId,
    moves,
    now: ports.clock.now(),
    merge,
    actorId: intent.actorId,
  });
}

/** The merge commit is where it was meant to be, or something was pushed on top of it. */
async function mergeHappened(ports: Ports, intent: RefIntent): Promise<boolean> {
  const base = intent.refs[0];
  if (!base) return false;
  const repository = ports.git.repository(intent.repositoryId);
  const current = await repository.readRef(base.ref);
  if (current === undefined || current === base.old) return false;
  return current === base.new || repository.isAncestor(base.new, current);
}

/** A row in `creating` reserved a name for a repository that nobody was told of; `deleting` was on its way out. */
async function removeAbandoned(ports: Ports, repository: AbandonedRepository): Promise<void> {
  await ports.git.remove(repository.id);
  const now = ports.clock.now();
  await ports.database.write(async (sql) => {
    if (await owesFarewell(sql, repository.id, null, now)) return;
    await deleteRepositoryRow(sql, repository.id);
  });
}
