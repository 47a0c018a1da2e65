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
