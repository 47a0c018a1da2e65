import type { Server } from 'node:http';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { createNetwork } from '#forge/events/invalidate.ts';
import type { GitProcessState } from '#forge/git/commands/git-directory.ts';
import type { Git } from '#forge/git/git.ts';
import { connectGit } from '#forge/git/process/git-client.ts';
import type { GitConnection } from '#forge/git/process/git-connection.ts';
import { startGitServer } from '#forge/git/process/git-server.ts';
import { closeGitState, openGitState } from '#forge/git/process/open-git-state.ts';
import { ShardedGit } from '#forge/git/process/sharded-git.ts';
import { insertRepository, markReady } from '#forge/repositories/repository-life-store.ts';
import type { Database } from '#platform/database/database.ts';

import { insertShard, shardOfRepository } from '../../shards/shard-store.ts';

/** The git process of a shard, which can end and start again. */
export class TestShard {
  readonly root: string;
  readonly connection: GitConnection;
  readonly #socketPath: string;
  #running: { readonly state: GitProcessState; readonly server: Server } | undefined;

  constructor(folder: string, name: string) {
    this.root = join(folder, name);
    this.#socketPath = join(folder, `${name}.sock`);
    this.connection = connectGit(this.#socketPath).connection;
  }

  async start(): Promise<void> {
    const { state } = await openGitState({
      root: this.root,
      onNotDurable: () => {},
      report: () => {},
    });
    this.#running = { state, server: await startGitServer(state, this.#socketPath) };
  }

  async stop(): Promise<void> {
    if (!this.#running) return;
    const { state, server } = this.#running;
    this.#running = undefined;
    server.close();
    server.closeAllConnections();
    await closeGitState(state);
  }

  get state(): GitProcessState {
    if (!this.#running) throw new Error('The shard is not running.');
    return this.#running.state;
  }

  /** What is there of moves, by name. */
  async moves(): Promise<readonly string[]> {
    return (await readdir(join(this.root, 'moves')).catch(() => [])).toSorted();
  }
}

export interface TwoShards {
  readonly git: Omit<Git, 'close'>;
  readonly first: TestShard;
  readonly second: TestShard;
  /** The id of the second one; the first is the default one. */
  readonly secondId: number;
  readonly shards: {
    readonly of: (id: number) => TestShard | undefined;
    readonly ids: () => readonly number[];
  };
  /** New repositories of one network, in the first shard. */
  newNetwork(
    count: number,
  ): Promise<{ readonly networkId: number; readonly ids: readonly number[] }>;
}

export async function startTwoShards(database: Database, folder: string): Promise<TwoShards> {
  const [first, second] = [new TestShard(folder, 'first'), new TestShard(folder, 'second')];
  await first.start();
  await second.start();
  const shard = { name: 'second', folder: second.root, folderKey: 'key' };
  const options = { nodeAddresses: undefined, acceptsNew: true };
  const secondId = await database.write((sql) => insertShard(sql, { ...shard, ...options }));
  const owner = await database.write((sql) =>
    sql.get<{ id: number }>(
      `insert into accounts (kind, login, login_key, created_at, updated_at)
       values ('user', 'ada', 'ada', 0, 0) returning id`,
    ),
  );
  const sharded = new ShardedGit(first.connection);
  sharded.add(secondId, second.connection);
  sharded.setSource({
    shardOf: (id) => database.read((sql) => shardOfRepository(sql, id)),
    poll: async () => {},
  });
  let names = 0;
  return {
    git: sharded.git,
    first,
    second,
    secondId,
    shards: {
      of: (id) => (id === 0 ? first : second),
      ids: () => [0, secondId],
    },
    async newNetwork(count) {
      return database.write(async (sql) => {
        const network = await createNetwork(sql, { shardId: 0 });
        const ids: number[] = [];
        for (let made = 0; made < count; made += 1) {
          names += 1;
          const id = await insertRepository(network.write, {
            ownerId: owner?.id ?? 0,
            networkId: network.id,
            name: `of-network-${names}`,
            description: null,
            homepage: null,
            private: false,
            defaultBranch: 'main',
            now: 0,
          });
          await markReady(network.write, id);
          ids.push(id);
        }
        return { networkId: network.id, ids };
      });
    },
  };
}
