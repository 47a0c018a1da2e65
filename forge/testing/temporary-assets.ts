import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { AssetFiles } from '../ports/asset-files.ts';
import { openAssetFiles } from '../releases/asset-files.ts';

/** Files of assets in a folder that is removed afterwards. */
export async function inTemporaryAssets(
  use: (files: AssetFiles, folder: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'hob-assets-'));
  try {
    await use(await openAssetFiles(folder), folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
