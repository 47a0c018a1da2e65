import type { Sql } from '#platform/database/database.ts';

/** What a repository has on disk. */
export interface RepositoryStorage {
  readonly name: string;
  /** Objects of git and of Git LFS, as measured after the last push. */
  readonly objectBytes: number;
  /** Assets of releases. */
  readonly assetBytes: number;
}

/** The repositories with the most bytes. */
export async function largestRepositories(
  sql: Sql,
  max: number,
): Promise<readonly RepositoryStorage[]> {
  const rows = await sql.all<RepositoryStorage>(
    `select o.login || '/' || r.name as name, r.size_kib * 1024 as "objectBytes",
       coalesce(a.bytes, 0) as "assetBytes"
     from repositories r join accounts o on o.id = r.owner_id
     left join (select repository_id, cast(sum(size) as bigint) as bytes from release_assets group by repository_id) a
       on a.repository_id = r.id
     where r.state = 'ready' order by r.size_kib * 1024 + coalesce(a.bytes, 0) desc, r.id limit $1`,
    max,
  );
  return rows.map((row) => ({ ...row }));
}
