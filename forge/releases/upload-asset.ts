import { uniqueViolation } from '#platform/database/constraint-violation.ts';

import { invalid, notFound, refuse, RefusalError } from '../errors/api-error.ts';
import type { RequestUpload } from '../http/request-context.ts';
import type { Release } from '../model/release.ts';
import { repositoryQueue } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { assetError, readContentType, refuseTakenAssetName } from './asset-input.ts';
import { countAssets, findAssetByName, insertAsset, type NewAsset } from './asset-store.ts';
import { findRelease } from './release-store.ts';

/** Asset of a release, as on GitHub. */
const assetBytesMax: number = 2 * 1024 ** 3;
/** Assets of a release. */
const assetsMax = 1000;

export interface AssetUpload {
  readonly release: Release;
  readonly uploaderId: number;
  readonly name: string;
  readonly label: string | null;
  readonly upload: RequestUpload;
  readonly now: number;
}

/**
 * Stores an asset of a release: first its file, durably, then its row, which makes it known. Without the row the file is removed, now or
 * by the next prune.
 */
export async function uploadAsset(ports: Ports, input: AssetUpload): Promise<number> {
  const { release, uploaderId, name, label, upload, now } = input;
  if ((upload.bytes ?? 0) > assetBytesMax) {
    refuse({ kind: 'body-too-large', bytesMax: assetBytesMax });
  }
  // Before gigabytes are received; the row decides.
  await ports.database.read(async (sql) => {
    if (await findAssetByName(sql, release.id, name)) refuseTakenAssetName();
    if ((await countAssets(sql, release.id)) >= assetsMax) refuseMore();
  });
  const { file, size, sha256 } = await ports.assetFiles.write(upload.content, assetBytesMax);
  try {
    if (size === 0) {
      const message = 'size must be greater than or equal to 1';
      invalid(assetError('custom', 'size', message));
    }
    await upload.confirmAccess();
    const { id: releaseId, repositoryId } = release;
    const contentType = readContentType(upload.contentType);
    const stored = { file, size, sha256, contentType, now };
    return await insertRow(ports, { releaseId, repositoryId, uploaderId, name, label, ...stored });
  } catch (error) {
    // After any other failure the row may be there: the next prune finds out.
    const taken = uniqueViolation(error);
    if (taken || error instanceof RefusalError) await ports.assetFiles.remove(file);
    if (taken) refuseTakenAssetName();
    throw error;
  }
}

async function insertRow({ database }: Ports, asset: NewAsset): Promise<number> {
  const { releaseId, repositoryId } = asset;
  return database.write(
    async (sql) => {
      if (!(await findRelease(sql, repositoryId, releaseId))) notFound();
      if ((await countAssets(sql, releaseId)) >= assetsMax) refuseMore();
      return insertAsset(sql, asset);
    },
    { queue: repositoryQueue(repositoryId) },
  );
}

function refuseMore(): never {
  const message = `A release has at most ${assetsMax} assets.`;
  return invalid(assetError('custom', 'name', message));
}
