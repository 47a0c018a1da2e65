import { constants } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from '#platform/error-code.ts';

import { isBucketName, isPlainKey, noSuchBucket, noSuchKey } from './object-store.ts';
import type { ObjectStore, OpenedObject } from './object-store.ts';

/** A directory of the host as an object store: `<folder>/<bucket>/<key>`. It has no versions. */
export function createFolderObjects(folder: string): ObjectStore {
  return {
    async open({ bucket, key, version }) {
      const root = isBucketName(bucket) ? await realFolder(join(folder, bucket)) : undefined;
      if (root === undefined) return noSuchBucket;
      if (version !== undefined && version !== 'null') return noSuchVersion;
      const path = isPlainKey(key) ? await realPath(join(root, key)) : undefined;
      // Links may point inside a bucket only.
      if (path === undefined || !path.startsWith(`${root}/`)) return noSuchKey;
      return openFile(path);
    },
  };
}

const noSuchVersion: OpenedObject = {
  kind: 'refused',
  code: 'NoSuchVersion',
  message: 'The specified version does not exist.',
};

async function realFolder(path: string): Promise<string | undefined> {
  const real = await realPath(path);
  return real !== undefined && (await stat(real)).isDirectory() ? real : undefined;
}

async function realPath(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG' || code === 'ELOOP') {
      return undefined;
    }
    throw error;
  }
}

/** Does not block on a pipe without a writer, and follows no link created since. */
async function openFile(path: string): Promise<OpenedObject> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if ((await file.stat()).isFile()) {
    return { kind: 'object', content: file.createReadStream({ highWaterMark: 256 * 1024 }) };
  }
  await file.close();
  return noSuchKey;
}
