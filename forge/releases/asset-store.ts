import { type PageBounds, selectPage } from '#platform/database/page-store.ts';
import type { Sql } from '#platform/database/database.ts';

import { placeholders } from '../accounts/account-store.ts';
import type { ReleaseAsset } from '../model/release.ts';

interface AssetRow {
  id: number;
  release_id: number;
  uploader_id: number;
  name: string;
  label: string | null;
  content_type: string;
  size: number;
  sha256: string;
  file: string;
  download_count: number;
  created_at: number;
  updated_at: number;
}

const columns = `id, release_id, uploader_id, name, label, content_type, size, sha256, file, download_count, created_at,
  updated_at`;

/** The assets of several releases, in one statement and by id. */
export async function assetsOfReleases(
  sql: Sql,
  releaseIds: readonly number[],
): Promise<ReleaseAsset[]> {
  if (releaseIds.length === 0) return [];
  const rows = await sql.all<AssetRow>(
    `select ${columns} from release_assets where release_id in (${placeholders(releaseIds.length)}) order by id`,
    ...releaseIds,
  );
  return rows.map(assetFromRow);
}

export async function listAssets(
  sql: Sql,
  releaseId: number,
  page: PageBounds,
): Promise<{ readonly assets: readonly ReleaseAsset[]; readonly total: number }> {
  const list = { columns, from: 'release_assets where release_id = $1', values: [releaseId] };
  const { rows, total } = await selectPage<AssetRow>(sql, { ...list, order: 'id' }, page);
  return { assets: rows.map(assetFromRow), total };
}

export async function findAsset(
  sql: Sql,
  repositoryId: number,
  id: number,
): Promise<ReleaseAsset | undefined> {
  const row = await sql.get<AssetRow>(
    `select ${columns} from release_assets where repository_id = $1 and id = $2`,
    repositoryId,
    id,
  );
  return row && assetFromRow(row);
}

export async function findAssetByName(
  sql: Sql,
  releaseId: number,
  name: string,
): Promise<ReleaseAsset | undefined> {
  const row = await sql.get<AssetRow>(
    `select ${columns} from release_assets where release_id = $1 and name = $2`,
    releaseId,
    name,
  );
  return row && assetFromRow(row);
}

export async function countAssets(sql: Sql, releaseId: number): Promise<number> {
  const row = await sql.get<{ count: number }>(
    'select count(*) as count from release_assets where release_id = $1',
    releaseId,
  );
  return row?.count ?? 0;
}

export interface NewAsset {
  readonly releaseId: number;
  readonly repositoryId: number;
  readonly uploaderId: number;
  readonly name: string;
  readonly label: string | null;
  readonly contentType: string;
  readonly size: number;
  readonly sha256: string;
  readonly file: string;
  readonly now: number;
}

/** Returns its id. Fails with a unique violation if the release has an asset of this name. */
export async function insertAsset(sql: Sql, asset: NewAsset): Promise<number> {
  const row = await sql.get<{ id: number }>(
    `insert into release_assets
       (release_id, repository_id, uploader_id, name, label, content_type, size, sha256, file, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10) returning id`,
    asset.releaseId,
    asset.repositoryId,
    asset.uploaderId,
    asset.name,
    asset.label,
    asset.contentType,
    asset.size,
    asset.sha256,
    asset.file,
    asset.now,
  );
  if (!row) throw new Error('the asset was not inserted');
  return row.id;
}

/** Fails with a unique violation if the release has another asset of this name. */
export async function renameAsset(
  sql: Sql,
  id: number,
  { name, label, now }: { readonly name: string; readonly label: string | null; now: number },
): Promise<void> {
  await sql.run(
    `update release_assets set name = $2, label = $3, updated_at = $4 where id = $1`,
    id,
    name,
    label,
    now,
  );
}

export async function deleteAsset(sql: Sql, id: number): Promise<void> {
  await sql.run(`delete from release_assets where id = $1`, id);
}

export async function countDownload(sql: Sql, id: number): Promise<void> {
  await sql.run(`update release_assets set download_count = download_count + 1 where id = $1`, id);
}

/** Those of the files that assets name. */
export async function referencedFiles(sql: Sql, files: readonly string[]): Promise<Set<string>> {
  if (files.length === 0) return new Set();
  const rows = await sql.all<{ file: string }>(
    `select file from release_assets where file in (${placeholders(files.length)})
     union select file from lfs_objects where file in (${placeholders(files.length)})`,
    ...files,
  );
  return new Set(rows.map(({ file }) => file));
}

function assetFromRow(row: AssetRow): ReleaseAsset {
  return {
    id: row.id,
    releaseId: row.release_id,
    uploaderId: row.uploader_id,
    name: row.name,
    label: row.label,
    contentType: row.content_type,
    size: row.size,
    sha256: row.sha256,
    file: row.file,
    downloadCount: row.download_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
