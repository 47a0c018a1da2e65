import type { CodeFiles, Room, StoredCode } from './code-files.ts';
import { codeRefusal } from './code-refusal.ts';
import { openSource } from './code-source.ts';
import type { CodeSource } from './code-source.ts';
import type { ObjectStore } from './objects/object-store.ts';

/**
 * Fetches, unpacks and keeps the archive of a request, and lends it to `use`, which writes the rows that name it. Refuses
 * with the recorded errors.
 */
export async function takeCode<T>(
  files: CodeFiles,
  objects: ObjectStore | undefined,
  source: CodeSource,
  use: (code: StoredCode) => Promise<T>,
  room?: Room,
): Promise<T> {
  const archive = await openSource(source, objects);
  try {
    return await files.take(archive, use, room);
  } catch (error) {
    throw codeRefusal(error);
  }
}
