import { setTimeout as delay } from 'node:timers/promises';

import { GitError } from '../git-error.ts';
import type { Git } from '../git.ts';
import { gitOver, type WithConnection } from './git-client.ts';
import type { GitConnection } from './git-connection.ts';

/** The shard that every installation has. */
export const defaultShard = 0;

export interface ShardSource {
  /** Undefined: there is no such repository. */
  shardOf(repositoryId: number): Promise<number | undefined>;
  /** A repository is in a shard that was not added: there may be new ones. */
  poll(): Promise<void>;
}

/** Time that a call waits for the database to name the shard that a repository has moved to. */
const switchMilliseconds = 4000;
/** Time between two polls for that shard. */
const switchPollMilliseconds = 50;

/** Repositories whose shard a server remembers; of more, all are looked up again. */
const knownMax = 100_000;

/**
 * The port over several git processes, each with the repositories of its shard. While there is one shard, nothing is looked up. Where a
 * repository is, is remembered: the git process of a shard that it has left, or never was in, refuses its calls, and they are repeated in the other one.
 */
export class ShardedGit {
  readonly git: Omit<Git, 'close'>;
  readonly #connections = new Map<number, GitConnection>();
  readonly #known = new Map<number, number>();
  #source: ShardSource | undefined;

  constructor(first: GitConnection) {
    this.#connections.set(defaultShard, first);
    this.git = gitOver(this.#reach);
  }

  /** Undefined while no database is open: then the default shard is asked. */
  setSource(source: ShardSource | undefined): void {
    this.#source = source;
    this.#known.clear();
  }

  add(shard: number, connection: GitConnection): void {
    this.#connections.set(shard, connection);
  }

  remove(shard: number): void {
    this.#connections.delete(shard);
  }

  readonly #reach: WithConnection = async (id, call, how) => {
    const first = how === 'looked-up' ? this.#lookUp(id) : this.shardOf(id);
    let shard = await first;
    for (const deadline = performance.now() + switchMilliseconds; ;) {
      try {
        return await call(await this.#connectionTo(shard));
      } catch (error) {
        if (!isElsewhere(error)) throw error;
        this.#known.delete(id);
        const current = await this.#lookUp(id);
        // The next call gets it right where this one cannot be repeated.
        if (how === 'once') throw error;
        // It was deleted after it had left this shard: no other has it.
        if (error.kind === 'other-shard' && !this.#known.has(id))
          throw new GitError('missing-repository', 'The repository was deleted.', { cause: error });
        if (current === shard) {
          // The shard has it no more, and the database does not say so yet.
          if (error.kind !== 'other-shard' || performance.now() > deadline) throw error;
          await delay(switchPollMilliseconds);
        }
        shard = current;
      }
    }
  };

  /** As remembered; it may have moved since. */
  shardOf(id: number): number | Promise<number> {
    if (this.#connections.size === 1) return defaultShard;
    return this.#known.get(id) ?? this.#lookUp(id);
  }

  async #lookUp(id: number): Promise<number> {
    const shard = await this.#source?.shardOf(id);
    // Its calls fail in any shard.
    if (shard === undefined) return defaultShard;
    if (this.#known.size >= knownMax) this.#known.clear();
    this.#known.set(id, shard);
    return shard;
  }

  async #connectionTo(shard: number): Promise<GitConnection> {
    if (!this.#connections.has(shard)) await this.#source?.poll();
    const connection = this.#connections.get(shard);
    if (!connection) throw new GitError('unavailable', `This server does not know shard ${shard}.`);
    return connection;
  }
}

/** A process that knew of one shard only, or remembers where a repository was, may have asked the wrong one. */
function isElsewhere(error: unknown): error is GitError {
  if (!(error instanceof GitError)) return false;
  return error.kind === 'other-shard' || error.kind === 'missing-repository';
}
