import { type GitDirectory, runIn } from '../commands/git-directory.ts';
import { GitError } from '../git-error.ts';
import type { ObjectId } from '../names.ts';

const mebibyte = 1024 * 1024;

/** Pointers that this search reads. */
const outputBytesMax = mebibyte;

/**
 * `git log` for the objects of Git LFS to which commits from another repository point, time and memory; objects beyond it stay
 * where they are.
 */
const limits = { seconds: 10, memoryBytes: 512 * mebibyte };

/** The ids of the objects of Git LFS to which commits that no branch has yet point; of a very long history, none. */
export async function largeFilePointers(
  directory: GitDirectory,
  head: ObjectId,
): Promise<readonly string[]> {
  const options = ['--format=', '--patch', '--unified=0', '--no-color', '--no-ext-diff'];
  const paths = ['--no-textconv', '--no-renames', '--diff-merges=first-parent'];
  const pointers = ['-G', '^oid sha256:[0-9a-f]{64}$', head, '--not', '--branches', '--'];
  try {
    const { bytes } = await runIn(directory, ['log', ...options, ...paths, ...pointers], {
      limits,
      outputBytesMax,
      cut: true,
    });
    const lines = bytes.toString('latin1').matchAll(/^\+oid sha256:([0-9a-f]{64})$/gm);
    return [...new Set([...lines].map(([, oid = '']) => oid))];
  } catch (error) {
    if (error instanceof GitError && error.kind === 'limit') return [];
    throw error;
  }
}
