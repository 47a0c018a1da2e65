import type { Ports } from '../ports/ports.ts';
import { insertObjects, objectsAfter } from './lfs-object-store.ts';

/** Objects of Git LFS that a fork gets in one transaction. */
const copiedMax = 1000;

/** Gives a new fork the objects of its source, as git does with those of git: it must not need the source for them. */
export async function copyObjects(
  { clock, database }: Pick<Ports, 'clock' | 'database'>,
  sourceId: number,
  forkId: number,
): Promise<void> {
  let last: string | undefined = '';
  while (last !== undefined) {
    const after: string = last;
    last = await database.write(async (sql) => {
      const part = await objectsAfter(sql, sourceId, after, copiedMax);
      await insertObjects(sql, forkId, part, clock.now());
      return part.at(-1)?.oid;
    });
  }
}
