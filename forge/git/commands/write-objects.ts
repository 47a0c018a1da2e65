import { formatPack, type PackedObject } from '../format/pack.ts';
import type { ObjectId } from '../names.ts';
import { runIn, syncPacks, whileMarkedDirty, type GitDirectory } from './git-directory.ts';
import { writeObject } from './loose-object.ts';

/** Objects that are written as a file each; more become one pack, as those of a push do. */
const looseMax = 100;

/** Writes objects by their ids, durable when it answers. To sync a file for each of very many would take minutes. */
export async function writeObjects(
  directory: GitDirectory,
  objects: ReadonlyMap<ObjectId, PackedObject>,
): Promise<void> {
  if (objects.size <= looseMax) {
    for (const { type, content } of objects.values()) await writeObject(directory, type, content);
    return;
  }
  const input = await formatPack([...objects.values()]);
  await whileMarkedDirty(directory, async () => {
    await runIn(directory, ['index-pack', '--stdin'], { input });
    await syncPacks(directory);
  });
}
