import { join } from 'node:path';

import { repositoryPaths } from '#forge/git/commands/repository-paths.ts';
import { hasShardMarker } from '#forge/git/process/shard-marker.ts';
import type { Sql } from '#platform/database/database.ts';
import type { DatabaseSnapshot } from '#platform/database/database-snapshot.ts';
import { OperatorError } from '#platform/operator-error.ts';

import {
  appliedMigrations,
  folderOfRepository,
  hasUnfinishedMoves,
  shardFolders,
} from './backup-store.ts';

/** Where the repositories of a server are, which may move from one shard to another while they are copied. */
export interface SourceRepositories {
  /** The path of a repository now. */
  pathOf(sql: Sql, id: number): Promise<string>;
  /** Tables whose writers move repositories. */
  readonly tables: readonly string[];
  /** A repository is in another shard than its files: a state of that time would lack them. */
  isMoving(sql: Sql): Promise<boolean>;
  /** Refuses where a shard is not mounted any more: what was found missing there is not. */
  requireReached(): Promise<void>;
}

/** Refuses where a shard is not mounted. The database may be of an earlier version, without shards. */
export async function findSourceRepositories(
  database: Pick<DatabaseSnapshot, 'read'>,
  data: string,
): Promise<SourceRepositories> {
  const own = repositoryPaths(join(data, 'repositories'));
  const migrations = await database.read(appliedMigrations);
  const has = (topic: string): boolean =>
    migrations.some(({ name }) => name.replace(/^\d+-/, '') === topic);
  const shards = has('git-shards') ? await database.read(shardFolders) : [];
  await requireReached(shards);
  const hasMoves = has('network-moves');
  return {
    async pathOf(sql, id) {
      const folder = has('git-shards') ? await folderOfRepository(sql, id) : undefined;
      return (folder === undefined ? own : repositoryPaths(folder)).repository(id);
    },
    tables: hasMoves ? ['network_moves'] : [],
    isMoving: async (sql) => hasMoves && hasUnfinishedMoves(sql),
    requireReached: () => requireReached(shards),
  };
}

async function requireReached(shards: Awaited<ReturnType<typeof shardFolders>>): Promise<void> {
  for (const { name, folder, folderKey } of shards) {
    if (await hasShardMarker(folder, folderKey)) continue;
    throw new OperatorError(
      `The folder ${folder} of the shard "${name}" is not there, or is another folder. Run the backup where all shards are mounted.`,
    );
  }
}
