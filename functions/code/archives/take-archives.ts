import { access, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { ifThere, namesIn } from '#platform/absent-files.ts';
import { boundedTasks } from '#platform/durable-files.ts';

import { archiveHash, markerName, type SharedArchives } from './shared-archives.ts';

/** The archive in a code folder, next to its unpacked content. */
export const archiveFile = 'archive.zip';

/** Moves the archives out of the code folder of a server that was the only one. */
export async function takeArchives(
  shared: Pick<SharedArchives, 'add'>,
  codeFolder: string,
): Promise<void> {
  // Others are what a killed server left of an upload.
  const hashes = (await namesIn(codeFolder)).filter((name) => /^[0-9a-f]{64}$/.test(name));
  const archives = hashes.map((sha256) => ({
    sha256,
    path: join(codeFolder, sha256, archiveFile),
  }));
  await moveArchives(shared, archives);
}

/** Moves the archives out of the folder of an installation that had no other store, unless that is a store itself. */
export async function takeFolderArchives(
  shared: Pick<SharedArchives, 'add'>,
  folder: string,
): Promise<void> {
  const names = await namesIn(folder);
  if (names.includes(markerName)) return;
  const hashes = names.flatMap((name) => archiveHash(name) ?? []);
  const archives = hashes.map((sha256) => ({ sha256, path: join(folder, `${sha256}.zip`) }));
  await moveArchives(shared, archives);
}

async function moveArchives(
  shared: Pick<SharedArchives, 'add'>,
  archives: readonly { readonly sha256: string; readonly path: string }[],
): Promise<void> {
  const tasks = boundedTasks(movesAtOnce);
  try {
    for (const { sha256, path } of archives)
      await tasks.start(() => moveArchive(shared, sha256, path));
  } finally {
    await tasks.ended();
  }
}

const movesAtOnce = 4;

/** Another server that starts now may move it first. */
async function moveArchive(
  shared: Pick<SharedArchives, 'add'>,
  sha256: string,
  archive: string,
): Promise<void> {
  const added = async (): Promise<true> => {
    await access(archive);
    await shared.add(sha256, archive);
    return true;
  };
  if (await ifThere(added())) await rm(archive, { force: true });
}
