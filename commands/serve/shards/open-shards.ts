import type { Database } from '#platform/database/database.ts';
import { OperatorError } from '#platform/operator-error.ts';

import type { Cluster } from '../nodes/cluster.ts';
import { chooseShard } from './choose-shard.ts';
import type { GitShards } from './git-shards.ts';
import { reachesShard } from './shard-folder.ts';
import { listShards, shardOfRepository } from './shard-store.ts';

/**
 * From now on repositories are looked up in the database, where there are several shards. A server that is alone has all of them from its start
 * on; the nodes of a cluster add those that they see. Gives the shard of the next new network.
 */
export async function openShards(
  shards: GitShards,
  database: Database,
  cluster: Cluster | undefined,
  closers: (() => Promise<void>)[],
): Promise<() => number> {
  shards.setSource({
    shardOf: (id) => database.read((sql) => shardOfRepository(sql, id)),
    poll: async () => cluster?.poll(),
  });
  // A reset removes repositories after the services and their database were closed.
  closers.push(async () => shards.setSource(undefined));
  if (cluster) return chooseShard(shards, () => cluster.listedShards());
  const listed = await database.read(listShards);
  for (const shard of listed) {
    if (await reachesShard(shard)) continue;
    throw new OperatorError(
      `The folder ${shard.folder ?? ''} of the shard "${shard.name}" is not there, or is another folder. Mount its volume, then start Hob.`,
    );
  }
  shards.add(listed);
  await Promise.all(shards.all().map(({ git }) => git.ready));
  return chooseShard(shards, () => listed);
}
