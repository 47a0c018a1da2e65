import { refuse } from '../errors/api-error.ts';
import type { GitRepository } from '../git/git.ts';
import type { ObjectId } from '../git/names.ts';

/**
 * Blob that the API reads. Larger ones are refused, because they would not fit into memory; clients can get them through git.
 */
const blobBytesMax = 100 * 1024 * 1024;

/**
 * File that is read into memory, and whose content is in JSON; larger ones are sent as git reads them, or without their
 * content.
 */
export const inlineBytesMax = 1024 * 1024;

/** A blob's bytes; undefined when there is no such blob, a refusal when it is too large for this interface. */
export async function readBlobWithinLimit(
  git: GitRepository,
  id: ObjectId,
): Promise<Buffer | undefined> {
  const info = await git.objectInfo(id);
  if (info?.type !== 'blob') return undefined;
  checkSize(info.size);
  return git.readBlob(id);
}

/** Refuses what is too large for this interface. */
export function checkSize(bytes: number): void {
  if (bytes <= blobBytesMax) return;
  const message = `This blob has ${bytes} bytes; the API returns blobs of up to ${blobBytesMax}. Fetch it with git.`;
  refuse({ kind: 'forbidden', message });
}
