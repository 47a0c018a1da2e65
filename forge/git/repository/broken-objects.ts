import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createInflate } from 'node:zlib';

import { namesIn } from '#platform/absent-files.ts';
import { systemRandom } from '#platform/random.ts';

import { runIn } from '../commands/git-directory.ts';
import type { GitDirectory } from '../commands/git-directory.ts';
import { copyLimits } from './fetch-objects.ts';
import { looseObjectPath } from '../commands/loose-object.ts';
import { parseObjectId } from '../names.ts';
import type { ObjectId } from '../names.ts';

/** What was found broken in a repository. */
export interface BrokenObjects {
  /** Objects that no ref reaches. */
  readonly removed: readonly ObjectId[];
  /** Objects that refs reach: they are left unchanged. */
  readonly needed: readonly ObjectId[];
}

/**
 * Removes empty or unreadable loose objects, which a power failure leaves if the content of a file was not synced. git
 * considers the object present and never writes it again, and `repack` and `fsck` fail. Objects that refs reach stay,
 * because removing them repairs nothing. Concurrent writers are safe: they rename a file only when it is complete.
 */
export async function removeBrokenObjects(directory: GitDirectory): Promise<BrokenObjects> {
  const objects = join(directory.path, 'objects');
  const broken = await findBroken(objects);
  if (broken.length === 0) return { removed: [], needed: [] };
  const temporary = join(directory.state.paths.arriving, `broken-${systemRandom.id()}`);
  await mkdir(temporary, { recursive: true });
  const aside = new Set<ObjectId>();
  const putBack = async (ids: Iterable<ObjectId>): Promise<void> => {
    for (const id of ids) {
      await rename(join(temporary, id), looseObjectPath(objects, id));
      aside.delete(id);
    }
  };
  try {
    for (const id of broken) {
      await rename(looseObjectPath(objects, id), join(temporary, id));
      aside.add(id);
    }
    const missing = await findMissing(directory);
    const needed = broken.filter((id) => missing(id));
    await putBack(needed);
    return { removed: broken.filter((id) => !needed.includes(id)), needed };
  } catch (error) {
    // Refs may need them. The next attempt finds them again.
    await putBack([...aside]);
    throw error;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function findBroken(objects: string): Promise<ObjectId[]> {
  const broken: ObjectId[] = [];
  for (const folder of await namesIn(objects)) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue;
    const ids = (await namesIn(join(objects, folder))).flatMap((name) => {
      const id = parseObjectId(folder + name);
      return id === undefined ? [] : [id];
    });
    const whole = await Promise.all(ids.map((id) => isWhole(looseObjectPath(objects, id), id)));
    broken.push(...ids.filter((_, index) => !whole[index]));
  }
  return broken;
}

/** Whether the file inflates to what its name is the SHA-1 of. */
async function isWhole(path: string, id: ObjectId): Promise<boolean> {
  if ((await stat(path)).size === 0) return false;
  const hash = createHash('sha1');
  try {
    await pipeline(createReadStream(path), createInflate(), hash);
  } catch (error) {
    // zlib's errors mean corrupt data. Read errors of the disk are thrown.
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))
      return false;
    throw error;
  }
  return hash.digest('hex') === id;
}

/** Finds the missing objects that refs reach. */
async function findMissing(directory: GitDirectory): Promise<(id: ObjectId) => boolean> {
  const refs = await runIn(directory, ['for-each-ref', '--format=%(objectname)']);
  // Its exit status is a sum of what it found; it names what is missing.
  const statuses = Array.from({ length: 64 }, (_, status) => status);
  const parts = ['fsck', '--connectivity-only', '--no-dangling', '--no-progress'];
  const check = await runIn(directory, parts, { statuses, limits: copyLimits });
  const named = `${refs.bytes.toString()}\n${check.bytes.toString()}`;
  return (id) => named.includes(id);
}
