import type { Database } from '#platform/database/database.ts';

import { type LfsObject, objectsIn } from './lfs-object-store.ts';

/** Size of a file that may be a pointer of Git LFS (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md). */
const pointerBytesMax = 1024;

const pointer =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:ext-[^\n]*\n)*oid sha256:([0-9a-f]{64})\nsize \d+\n?$/;

/** The object of Git LFS to which a file points; undefined where it is no pointer, or the repository lacks the object. */
export async function findLargeFile(
  database: Database,
  repositoryId: number,
  content: Buffer,
): Promise<LfsObject | undefined> {
  if (content.length > pointerBytesMax) return undefined;
  const [, oid] = pointer.exec(content.toString('latin1')) ?? [];
  if (oid === undefined) return undefined;
  const found = await database.readOne((sql) => objectsIn(sql, [repositoryId], [oid]));
  return found.get(oid);
}
