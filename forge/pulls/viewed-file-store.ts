import type { Sql } from '#platform/database/database.ts';

import type { ObjectId } from '../git/names.ts';

/** A file of a pull as a reviewer has seen it. */
export interface ViewedFile {
  readonly accountId: number;
  readonly pullId: number;
  readonly path: string;
  readonly blobId: ObjectId;
}

/** The blobs that an account has viewed, by their paths. */
export async function viewedFiles(
  sql: Sql,
  accountId: number,
  pullId: number,
): Promise<ReadonlyMap<string, string>> {
  const rows = await sql.all<{ path: string; blob_id: string }>(
    'select path, blob_id from viewed_files where account_id = $1 and pull_id = $2',
    accountId,
    pullId,
  );
  return new Map(rows.map(({ path, blob_id: blobId }) => [path, blobId]));
}

export async function putViewedFile(sql: Sql, file: ViewedFile): Promise<void> {
  await sql.run(
    `insert into viewed_files (account_id, pull_id, path, blob_id) values ($1, $2, $3, $4)
     on conflict (account_id, pull_id, path) do update set blob_id = excluded.blob_id`,
    file.accountId,
    file.pullId,
    file.path,
    file.blobId,
  );
}

export async function deleteViewedFile(sql: Sql, file: ViewedFile): Promise<void> {
  await sql.run(
    'delete from viewed_files where account_id = $1 and pull_id = $2 and path = $3',
    file.accountId,
    file.pullId,
    file.path,
  );
}
