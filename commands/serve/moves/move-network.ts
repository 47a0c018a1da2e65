import type { Listing } from '#forge/git/process/copied-files.ts';
import { copyRepository, movesOver } from '#forge/git/process/move-client.ts';
import type { RepositoryMoves } from '#forge/git/process/repository-moves.ts';
import { GitError } from '#forge/git/git-error.ts';
import type { GitConnection } from '#forge/git/process/git-connection.ts';
import type { Database } from '#platform/database/database.ts';

import {
  endMove,
  type NetworkMove,
  noteProgress,
  repositoriesOfNetwork,
  switchNetwork,
} from './move-store.ts';

export interface MoveEnds {
  readonly from: GitConnection;
  readonly to: GitConnection;
}

export interface MoveOptions {
  readonly database: Database;
  readonly ends: MoveEnds;
  readonly move: NetworkMove;
  /** Of this attempt. */
  readonly token: string;
  readonly signal: AbortSignal;
  /** Called at each step; tests end the attempt there. */
  readonly onStep?: ((step: MoveStep) => Promise<void>) | undefined;
}

export type MoveStep =
  | 'started'
  | 'copied'
  | 'frozen'
  | 'compared'
  | 'closed'
  | 'switched'
  | 'accepted';

/** Copies of a network of repositories that are made while it is in use, before the last one, for which writes wait. */
const hotCopiesMax = 4;
/** Time of such a copy below which it is the last of them. */
const hotMillisecondsMin = 2000;
/**
 * Time for the copy of what has changed of a network of repositories, while writes wait; then the attempt to move it is given
 * up.
 */
const frozenMilliseconds = 60_000;
/** Time between two records of the progress of a move. */
const progressMilliseconds = 500;

/** The network changed while it was moved: the next attempt may succeed. */
class NetworkChangedError extends Error {
  override readonly name = 'NetworkChangedError';
}

/**
 * Copies a network into its new shard while it is used, then what has changed while nothing writes to it, and switches it in one transaction.
 * Where this throws, the caller ends the attempt: only the database says whether it was switched.
 */
export async function attemptMove(options: MoveOptions): Promise<void> {
  const { database, ends, move, token, signal, onStep = async () => {} } = options;
  const [source, target] = [movesOver(ends.from), movesOver(ends.to)];
  const copies = new Copies(options);
  await target.begin(token);
  await onStep('started');
  for (let copy = 1; copy <= hotCopiesMax; copy += 1) {
    const started = performance.now();
    await copies.copy(await readyRepositories(options), `copy ${copy}`, signal);
    if (performance.now() - started < hotMillisecondsMin) break;
  }
  await onStep('copied');
  const ids = await readyRepositories(options);
  await source.freeze(token, ids);
  await onStep('frozen');
  if (ids.join() !== (await readyRepositories(options)).join()) throw networkChanged();
  const late = AbortSignal.any([signal, AbortSignal.timeout(frozenMilliseconds)]);
  await copies.copy(ids, 'last copy, writes wait', late);
  await compare(source, target, ids, token);
  await onStep('compared');
  await source.close(token, ids);
  await onStep('closed');
  const switched = await database.write((sql) => switchNetwork(sql, move, token, ids));
  if (!switched) throw networkChanged();
  await onStep('switched');
}

/** The network is switched: both ends follow. Repeated until it succeeds. */
export async function finishMove(
  database: Database,
  ends: MoveEnds,
  { networkId, token, repositoryIds }: NetworkMove,
  onStep: NonNullable<MoveOptions['onStep']> = async () => {},
): Promise<void> {
  if (token === undefined) throw new Error(`the move of network ${networkId} has no token`);
  await movesOver(ends.to).accept(token, repositoryIds);
  await onStep('accepted');
  await movesOver(ends.from).leave(token, repositoryIds);
  await database.write((sql) => endMove(sql, networkId, token));
}

/** Lets go what an attempt has held back and copied, which the database says was not switched. */
export async function undoAttempt(ends: MoveEnds, token: string): Promise<void> {
  await movesOver(ends.from).thaw(token);
  await movesOver(ends.to).drop(token);
}

function networkChanged(): NetworkChangedError {
  return new NetworkChangedError('A repository of the network is being created or deleted.');
}

async function readyRepositories({
  database,
  move: { networkId },
}: MoveOptions): Promise<readonly number[]> {
  const repositories = await database.read((sql) => repositoriesOfNetwork(sql, networkId));
  if (repositories.some(({ isReady }) => !isReady)) throw networkChanged();
  return repositories.map(({ id }) => id);
}

async function compare(
  source: RepositoryMoves,
  target: RepositoryMoves,
  ids: readonly number[],
  token: string,
): Promise<void> {
  for (const id of ids) {
    if ((await source.refs(id)) === (await target.refs(id, token))) continue;
    throw new GitError('failed', `The copy of repository ${id} has other refs.`);
  }
}

/** What has been copied, so that only the rest is copied again. */
class Copies {
  readonly #options: MoveOptions;
  readonly #have = new Map<number, Listing>();
  #bytes = 0;
  #notedAt = -progressMilliseconds;

  constructor(options: MoveOptions) {
    this.#options = options;
  }

  async copy(ids: readonly number[], step: string, signal: AbortSignal): Promise<void> {
    const { ends, token } = this.#options;
    for (const [index, id] of ids.entries()) {
      signal.throwIfAborted();
      await this.#note(`${step}, repository ${index + 1} of ${ids.length}`);
      const have = this.#have.get(id) ?? new Map();
      const onBytes = (count: number): void => {
        this.#bytes += count;
      };
      const copied = await copyRepository(ends.from, ends.to, { id, token, have, onBytes, signal });
      this.#have.set(id, copied);
    }
  }

  async #note(step: string): Promise<void> {
    if (performance.now() - this.#notedAt < progressMilliseconds) return;
    this.#notedAt = performance.now();
    const { database, move, token } = this.#options;
    const progress = { networkId: move.networkId, token, step, bytes: this.#bytes };
    await database.write((sql) => noteProgress(sql, progress));
  }
}
