import type { GitRepository } from '../git/git.ts';
import type { ObjectId } from '../git/names.ts';
import { detectLicense } from '../templates/detect-license.ts';

/** File that is read as a license; a larger one is none. */
const bytesMax = 128 * 1024;

/** The key of the licence that a file is, or `other`. */
export async function licenseOfFile(
  git: GitRepository,
  { id, size = 0 }: { readonly id: ObjectId; readonly size?: number | undefined },
): Promise<string> {
  const bytes = size > bytesMax ? undefined : await git.readBlob(id);
  return bytes ? detectLicense(bytes.toString()) : 'other';
}
