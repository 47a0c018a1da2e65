import { createHash } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import { ifThere } from '#platform/absent-files.ts';
import { syncFolder, writePrivateFile } from '#platform/durable-files.ts';
import { errorCode } from '#platform/error-code.ts';
import { systemRandom } from '#platform/random.ts';

import { refuse } from '../errors/api-error.ts';
import type { AssetFile, AssetFiles } from '../ports/asset-files.ts';

/** What is being written, by any node of a cluster; a crash leaves it. */
const unfinishedPrefix = 'new-';

/** Opens a folder with the files of release assets: 256 folders limit the size of each. */
export async function openAssetFiles(root: string): Promise<AssetFiles> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const folderOf = (file: string): string => join(root, checked(file).slice(0, 2));
  const pathOf = (file: string): string => join(folderOf(file), file);

  async function install(unfinished: string, file: string): Promise<void> {
    const folder = folderOf(file);
    if ((await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined) {
      await syncFolder(root);
    }
    await rename(unfinished, pathOf(file));
    await syncFolder(folder);
  }

  return {
    async write(content, bytesMax) {
      const file = systemRandom.bytes(16).toString('hex');
      const unfinished = join(root, `${unfinishedPrefix}${file}`);
      try {
        const written = await receive(content, unfinished, bytesMax);
        await install(unfinished, file);
        return { file, ...written };
      } finally {
        await rm(unfinished, { force: true });
      }
    },

    async open(file, { first, last }) {
      if (last < first) return Readable.from([]);
      const handle = await open(pathOf(file), 'r');
      return handle.createReadStream({ start: first, end: last, highWaterMark: 256 * 1024 });
    },

    async *list() {
      for (const folder of await readdir(root)) {
        if (/^[0-9a-f]{2}$/.test(folder)) yield await readdir(join(root, folder));
      }
    },

    remove: (file) => rm(pathOf(file), { force: true }),

    async removeUnfinished(before) {
      for (const name of await readdir(root)) {
        if (!name.startsWith(unfinishedPrefix)) continue;
        const path = join(root, name);
        const written = await ifThere(stat(path));
        if (written && written.mtimeMs < before) await rm(path, { force: true });
      }
    },
  };
}

async function receive(
  content: Readable,
  path: string,
  bytesMax: number,
): Promise<Omit<AssetFile, 'file'>> {
  const hash = createHash('sha256');
  let size = 0;
  await writePrivateFile(path, async (write) => {
    try {
      for await (const piece of content) {
        if (!Buffer.isBuffer(piece)) throw new TypeError('an upload must be a stream of bytes');
        size += piece.length;
        if (size > bytesMax) refuse({ kind: 'body-too-large', bytesMax });
        hash.update(piece);
        await write(piece);
      }
    } catch (error) {
      if (!isCutOff(error)) throw error;
      refuse({ kind: 'malformed-request', message: 'The upload was cut off.' });
    }
  });
  return { size, sha256: hash.digest('hex') };
}

/** What Node says of a client that leaves in the middle. */
function isCutOff(error: unknown): boolean {
  return ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'].includes(errorCode(error) ?? '');
}

/** Names come from the database, and must stay in the folder whatever it has. */
function checked(file: string): string {
  if (/^[0-9a-f]{32}$/.test(file)) return file;
  throw new Error(`${JSON.stringify(file)} is no name of an asset's file.`);
}
