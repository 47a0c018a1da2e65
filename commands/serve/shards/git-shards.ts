import type { Git } from '#forge/git/git.ts';
import type { GitConnection } from '#forge/git/process/git-connection.ts';
import { ShardedGit, type ShardSource } from '#forge/git/process/sharded-git.ts';
import type { GitStatistics } from '#forge/git/process/start-git-process.ts';

import { closeAll } from '../close-all.ts';
import { defaultGitShard, type GitShard } from './shard-store.ts';

/** git of one shard: a process of this server, or that of the node which has the shard. */
export interface ShardGit {
  readonly connection: GitConnection;
  /** Resolves when calls have somewhere to go for the first time. */
  readonly ready: Promise<void>;
  readonly statistics: () => GitStatistics;
  readonly close: () => Promise<void>;
}

export interface ShardState {
  readonly name: string;
  readonly isAvailable: boolean;
}

/** git of all shards. The default one is there from the beginning, the others once the database was read. */
export class GitShards<S extends ShardGit = ShardGit> {
  readonly git: Git;
  /** Resolves when calls to the default one have somewhere to go. */
  readonly ready: Promise<void>;
  readonly #open: (shard: GitShard) => S;
  readonly #routes: ShardedGit;
  readonly #shards = new Map<number, { readonly shard: GitShard; readonly git: S }>();
  #closed = false;

  constructor(open: (shard: GitShard) => S) {
    this.#open = open;
    const git = open(defaultGitShard);
    this.#shards.set(defaultGitShard.id, { shard: defaultGitShard, git });
    this.#routes = new ShardedGit(git.connection);
    this.ready = git.ready;
    this.git = { ...this.#routes.git, close: () => this.close() };
  }

  setSource(source: ShardSource | undefined): void {
    this.#routes.setSource(source);
  }

  /** The shard of a repository, from memory where that has it. */
  async shardOf(repositoryId: number): Promise<number> {
    return this.#routes.shardOf(repositoryId);
  }

  /** Opens those that are new. */
  add(shards: readonly GitShard[]): void {
    if (this.#closed) return;
    for (const shard of shards) {
      if (this.#shards.has(shard.id)) continue;
      const git = this.#open(shard);
      this.#shards.set(shard.id, { shard, git });
      this.#routes.add(shard.id, git.connection);
    }
  }

  /** Ends git of a shard that was removed. */
  async remove(id: number): Promise<void> {
    const removed = this.#shards.get(id);
    this.#shards.delete(id);
    this.#routes.remove(id);
    await removed?.git.close();
  }

  of(id: number): S | undefined {
    return this.#shards.get(id)?.git;
  }

  all(): readonly { readonly shard: GitShard; readonly git: S }[] {
    return [...this.#shards.values()];
  }

  states(): readonly ShardState[] {
    return this.all().map(({ shard, git }) => ({
      name: shard.name,
      isAvailable: git.statistics().isAvailable,
    }));
  }

  readonly statistics = (): GitStatistics => {
    const each = this.all().map(({ git }) => git.statistics());
    const sum = (of: (one: GitStatistics) => number): number =>
      each.reduce((total, one) => total + of(one), 0);
    return {
      callsInProgress: sum(({ callsInProgress }) => callsInProgress),
      restarts: sum(({ restarts }) => restarts),
      isAvailable: each.every(({ isAvailable }) => isAvailable),
    };
  };

  async close(): Promise<void> {
    this.#closed = true;
    await closeAll(
      this.all().map(
        ({ git }) =>
          () =>
            git.close(),
      ),
    );
  }
}
