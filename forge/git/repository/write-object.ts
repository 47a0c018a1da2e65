import { dirname, join } from 'node:path';
import type { ObjectType } from '../git.ts';
import { writingTo, type GitDirectory } from '../commands/git-directory.ts';
import type { ObjectId } from '../names.ts';
import { writeLooseObject } from '../commands/loose-object.ts';

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
  return writingTo(directory, async () => {
    const { durability } = directory.host;
    const objects = join(directory.path, 'objects');
    const { id, path, madeFolder } = await writeLooseObject(objects, type, content, durability);
    await durability.sync(dirname(path));
    if (madeFolder) await durability.sync(objects);
    return id;
  });
}
