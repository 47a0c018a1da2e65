import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { constants, deflate } from 'node:zlib';

import { isAbsent } from '#platform/absent-files.ts';
import { systemRandom } from '#platform/random.ts';
import { storageFailure } from '#platform/storage-failure.ts';

import type { PackedObject } from '../format/pack.ts';
import type { ObjectType } from '../git.ts';
import { expectObjectId, type ObjectId } from '../names.ts';
import type { Durability } from './durability.ts';
import { whileMarkedDirty, type GitDirectory } from './git-directory.ts';

const compress = promisify(deflate);

/** Writes an object into a directory of objects that does not outlive the process. */
export async function writeUnsyncedObject(
  objects: string,
  type: ObjectType,
  content: Buffer,
): Promise<ObjectId> {
  return (await writeLooseObject(objects, type, content, undefined)).id;
}

/** The name of an object. */
export function objectIdOf({ type, content }: PackedObject): ObjectId {
  const hash = createHash('sha1').update(objectHeader(type, content)).update(content);
  return expectObjectId(hash.digest('hex'));
}

function objectHeader(type: ObjectType, content: Buffer): Buffer {
  return Buffer.from(`${type} ${content.length}\0`);
}

export function looseObjectPath(objects: string, id: ObjectId): string {
  return join(objects, id.slice(0, 2), id.slice(2));
}

interface WrittenObject {
  readonly id: ObjectId;
  readonly path: string;
  readonly madeFolder: boolean;
}

async function writeLooseObject(
  objects: string,
  type: ObjectType,
  content: Buffer,
  durability: Durability | undefined,
): Promise<WrittenObject> {
  const header = objectHeader(type, content);
  const id = objectIdOf({ type, content });
  const path = looseObjectPath(objects, id);
  const bytes = await compress(Buffer.concat([header, content]), { level: constants.Z_BEST_SPEED });
  // The name that git gives to its own unfinished objects, so that `git prune` removes one left by
  // a crash.
  const unfinished = join(dirname(path), `tmp_obj_${systemRandom.id()}`);
  const madeFolder = await writeNewFile(unfinished, bytes, durability);
  try {
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  return { id, path, madeFolder };
}

/** Writes a file; returns whether its folder had to be created. */
async function writeNewFile(
  path: string,
  bytes: Buffer,
  durability: Durability | undefined,
): Promise<boolean> {
  const { file, madeFolder } = await createFile(path);
  try {
    await file.writeFile(bytes);
    if (durability) {
      await file.sync().catch((error: unknown) => {
        // The file has not got its name yet, and is thrown away.
        if (storageFailure(error) === 'disk-full') throw error;
        throw durability.fail(error, path);
      });
    }
  } finally {
    await file.close();
  }
  return madeFolder;
}

/** Attempts to create a file while `git prune` removes its empty folder. */
const folderAttempts = 20;

/** `git prune` removes empty folders, even one that was just created for this file; then it is created again. */
async function createFile(path: string): Promise<{ file: FileHandle; madeFolder: boolean }> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return { file: await open(path, 'wx', 0o444), madeFolder: attempt > 0 };
    } catch (error) {
      if (!isAbsent(error) || attempt === folderAttempts) throw error;
    }
    await mkdir(dirname(path), { recursive: true });
  }
}

/**
 * Writes an object as a loose file, as `git hash-object -w` does, without a process for each.
 *
 * It is written even when the repository has it already: an old object that nothing names may be
 * about to be pruned, and a new file keeps it for two weeks.
 */
export function writeObject(
  directory: GitDirectory,
  type: ObjectType,
  content: Buffer,
): Promise<ObjectId> {
  return whileMarkedDirty(directory, async () => {
    const { durability } = directory.state;
    const objects = join(directory.path, 'objects');
    const { id, path, madeFolder } = await writeLooseObject(objects, type, content, durability);
    await durability.sync(dirname(path));
    if (madeFolder) await durability.sync(objects);
    return id;
  });
}
