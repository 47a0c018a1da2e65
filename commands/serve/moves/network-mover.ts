import { movesOver } from '#forge/git/process/move-client.ts';
import type { GitConnection } from '#forge/git/process/git-connection.ts';
import { defaultShard } from '#forge/git/process/sharded-git.ts';
import type { Database } from '#platform/database/database.ts';
import { inBackground } from '#platform/in-background.ts';
import type { Log } from '#platform/log.ts';
import { systemRandom } from '#platform/random.ts';

import type { Cluster } from '../nodes/cluster.ts';
import type { GitShards } from '../shards/git-shards.ts';
import {
  attemptMove,
  finishMove,
  type MoveEnds,
  type MoveOptions,
  undoAttempt,
} from './move-network.ts';
import {
  claimMove,
  findMove,
  type NetworkMove,
  releaseMove,
  tokensOfMoves,
  unfinishedMoves,
} from './move-store.ts';

export interface NetworkMoverOptions {
  readonly database: Database;
  readonly shards: {
    readonly of: (id: number) => { readonly connection: GitConnection } | undefined;
    readonly ids: () => readonly number[];
  };
  /** Moves are made by one server: that with the default shard. Undefined: this one is alone. */
  readonly cluster: Pick<Cluster, 'owns'> | undefined;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly onStep?: MoveOptions['onStep'];
  readonly pollMilliseconds?: number;
  readonly pauseMilliseconds?: number;
}

/** Time between two polls for moves to do. */
const pollMillisecondsDefault = 1000;
/** Attempts to move a network of repositories; then the move has failed. */
const attemptsMax = 5;
/** Pause after a failed attempt to move a network of repositories. */
const pauseMillisecondsDefault = 30_000;
/** Time between two polls, at both ends of moves, for files that no move needs any more. */
const sweepMilliseconds = 60_000;

/** Moves networks to the shards that operators name. With one shard, nothing is looked for. */
export class NetworkMover {
  readonly #options: NetworkMoverOptions;
  readonly #ending = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #working: Promise<void> | undefined;
  #sweptAt = -Infinity;
  /** After an attempt that failed: its writes waited, maybe for a push that goes on for long. */
  readonly #pausedUntil = new Map<number, number>();

  constructor(options: NetworkMoverOptions) {
    this.#options = options;
    this.#timer = setInterval(
      () => inBackground(this.work()),
      options.pollMilliseconds ?? pollMillisecondsDefault,
    );
  }

  /** One look for what is to be done; resolves when that is done, or put off. */
  work(): Promise<void> {
    this.#working ??= this.#work()
      .catch((err: unknown) => this.#options.log.warn({ err }, 'moves of networks were put off'))
      .finally(() => (this.#working = undefined));
    return this.#working;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#ending.abort();
    await this.#working;
  }

  async #work(): Promise<void> {
    const { database, shards, cluster } = this.#options;
    if (shards.ids().length < 2 || this.#ending.signal.aborted) return;
    if (cluster && !cluster.owns(defaultShard)) {
      this.#sweptAt = -Infinity;
      return;
    }
    await this.#sweep();
    const moves = await database.read(unfinishedMoves);
    for (const move of moves) {
      if (this.#ending.signal.aborted) return;
      const ends = this.#endsOf(move);
      if (ends) await this.#advance(move, ends);
    }
  }

  #endsOf({ fromShardId, shardId }: NetworkMove): MoveEnds | undefined {
    const from = this.#options.shards.of(fromShardId)?.connection;
    const to = this.#options.shards.of(shardId)?.connection;
    return from && to && { from, to };
  }

  async #advance(move: NetworkMove, ends: MoveEnds): Promise<void> {
    const { database, log, onStep } = this.#options;
    const { networkId, token, state } = move;
    try {
      if (state === 'switched') await finishMove(database, ends, move, onStep);
      // Of a server that has ended: this one does nothing else meanwhile.
      else if (state === 'copying' && token !== undefined) await this.#end(move, token, ends);
      else if (performance.now() >= (this.#pausedUntil.get(networkId) ?? 0))
        await this.#attempt(move, ends);
    } catch (err) {
      log.warn({ err, network: networkId }, 'the move of a network was put off');
    }
  }

  async #attempt(move: NetworkMove, ends: MoveEnds): Promise<void> {
    const { database, log, onStep } = this.#options;
    const token = systemRandom.id();
    const { networkId } = move;
    if (!(await database.write((sql) => claimMove(sql, networkId, token)))) return;
    const signal = this.#ending.signal;
    try {
      await attemptMove({ database, ends, move, token, signal, onStep });
    } catch (err) {
      log.warn({ err, network: networkId }, 'a network was not moved');
      const { pauseMilliseconds = pauseMillisecondsDefault } = this.#options;
      this.#pausedUntil.set(networkId, performance.now() + pauseMilliseconds);
      const problem = err instanceof Error ? err.message : String(err);
      await this.#end({ ...move, attempts: move.attempts + 1 }, token, ends, problem);
    }
    const moved = await database.read((sql) => findMove(sql, networkId));
    if (moved?.state !== 'switched') return;
    await finishMove(database, ends, moved, onStep);
    log.info({ network: networkId, repositories: moved.repositoryIds.length }, 'moved a network');
  }

  /** First the row: an attempt whose switch was committed after all is none that may be undone. */
  async #end(
    { networkId, attempts }: NetworkMove,
    token: string,
    ends: MoveEnds,
    problem?: string,
  ): Promise<void> {
    const isOver = attempts >= attemptsMax && !this.#ending.signal.aborted;
    const state = isOver ? ('failed' as const) : ('requested' as const);
    const released = await this.#options.database.write((sql) =>
      releaseMove(sql, { networkId, token, state, problem }),
    );
    if (!released) return;
    await undoAttempt(ends, token).catch((error: unknown) => {
      this.#sweptAt = -Infinity;
      throw error;
    });
  }

  /** What an attempt has left that was undone while one of its ends did not answer, or that a server began that had lost it. */
  async #sweep(): Promise<void> {
    if (performance.now() - this.#sweptAt < sweepMilliseconds) return;
    let complete = true;
    for (const id of this.#options.shards.ids()) {
      const connection = this.#options.shards.of(id)?.connection;
      if (!connection) continue;
      const ends = movesOver(connection);
      try {
        const { leaving, arriving } = await ends.tokens();
        // Read after them: a token is in its row before either end knows it.
        const known = await this.#options.database.read(tokensOfMoves);
        for (const token of leaving) if (!known.has(token)) await ends.thaw(token);
        for (const token of arriving) if (!known.has(token)) await ends.drop(token);
      } catch (err) {
        complete = false;
        this.#options.log.warn({ err, shard: id }, 'a shard was not asked for unfinished moves');
      }
    }
    if (complete) this.#sweptAt = performance.now();
  }
}

/** Those of a server. */
export function moverOf(
  options: Pick<NetworkMoverOptions, 'database' | 'cluster' | 'log'>,
  shards: GitShards,
): NetworkMover {
  return new NetworkMover({
    ...options,
    shards: {
      of: (id) => shards.of(id),
      ids: () => shards.all().map(({ shard }) => shard.id),
    },
  });
}
