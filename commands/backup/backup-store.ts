import type { Sql } from '#platform/database/database.ts';

export interface RepositoryState {
  readonly id: number;
  /** Moves with every change of the repository or one of its network that an answer could show. */
  readonly version: number;
  /** A change of refs is under way in its network: git and the rows need not agree. */
  readonly interrupted: boolean;
}

/** The tables whose writers a frozen state waits for: refs move only between a row's coming and going. */
export const frozenTables = ['ref_intents', 'repositories', 'function_service_keys'];

/** The repositories that users can see. */
export async function repositoryStates(sql: Sql): Promise<RepositoryState[]> {
  const rows = await sql.all<{ id: number; version: number; interrupted: number }>(
    `select r.id, n.version,
       (select count(*) from ref_intents i join repositories o on o.id = i.repository_id
        where o.network_id = r.network_id) as interrupted
     from repositories r join networks n on n.id = r.network_id where r.state = 'ready' order by r.id`,
  );
  return rows.map(({ id, version, interrupted }) => ({
    id,
    version,
    interrupted: interrupted > 0,
  }));
}

export async function readyRepositories(sql: Sql): Promise<number[]> {
  const rows = await sql.all<{ id: number }>(
    `select id from repositories where state = 'ready' order by id`,
  );
  return rows.map(({ id }) => id);
}

export async function isReady(sql: Sql, repositoryId: number): Promise<boolean> {
  const row = await sql.get<{ state: string }>(
    'select state from repositories where id = $1',
    repositoryId,
  );
  return row?.state === 'ready';
}

/** The archives of code that rows name, by their hash. */
export async function referencedCode(sql: Sql): Promise<string[]> {
  const rows = await sql.all<{ sha256: string }>('select sha256 from function_codes');
  return rows.map(({ sha256 }) => sha256);
}

/** A restored installation has its archives in its own data: the store is still that of the other one. */
export async function forgetCodeStore(sql: Sql): Promise<void> {
  await sql.run('delete from function_code_stores');
}

/** The files of release assets and of Git LFS that rows name. */
export async function referencedAssets(sql: Sql, tables: readonly string[]): Promise<string[]> {
  if (tables.length === 0) return [];
  const rows = await sql.all<{ file: string }>(
    tables.map((table) => `select file from ${table}`).join(' union '),
  );
  return rows.map(({ file }) => file);
}

/** Those besides the default one, whose folder is in the data directory. */
export async function shardFolders(
  sql: Sql,
): Promise<{ name: string; folder: string; folderKey: string }[]> {
  const rows = await sql.all<{ name: string; folder: string; folder_key: string }>(
    'select name, folder, folder_key from git_shards where folder is not null order by id',
  );
  return rows.map(({ name, folder, folder_key: folderKey }) => ({ name, folder, folderKey }));
}

/** The folder of the shard that has a repository; undefined: the default one has it. */
export async function folderOfRepository(sql: Sql, id: number): Promise<string | undefined> {
  const row = await sql.get<{ folder: string }>(
    `select s.folder from repositories r join networks n on n.id = r.network_id
      join git_shards s on s.id = n.shard_id where r.id = $1 and s.folder is not null`,
    id,
  );
  return row?.folder;
}

/** Whether the new shard of a network does not have its files in their final folders yet. */
export async function hasUnfinishedMoves(sql: Sql): Promise<boolean> {
  const row = await sql.get("select 1 as found from network_moves where state = 'switched'");
  return row !== undefined;
}

/** A restored installation has the default shard only, with all repositories. */
export async function forgetShards(sql: Sql): Promise<void> {
  await sql.run('delete from network_moves');
  await sql.run('update networks set shard_id = 0 where shard_id <> 0');
  await sql.run('delete from git_shards');
}

export interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
}

/** The shape that a database has. */
export async function appliedMigrations(sql: Sql): Promise<AppliedMigration[]> {
  return sql.all<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations order by name',
  );
}
