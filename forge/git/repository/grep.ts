import type { GrepResult } from '../git.ts';
import { GitError } from '../git-error.ts';
import { type GitDirectory, runIn } from '../commands/git-directory.ts';
import type { ObjectId } from '../names.ts';

const mebibyte = 1024 * 1024;

/** Paths that `git grep` of one repository lists. */
const outputBytesMax = mebibyte;

/** Time of `git grep` in one repository: a search is asked for by anybody and reads every file. */
const secondsMax = 5;

export async function grep(
  directory: GitDirectory,
  commit: ObjectId,
  texts: readonly string[],
  seconds: number,
): Promise<GrepResult> {
  // A pattern with a line feed would be several patterns, and no line contains one.
  if (texts.length === 0 || texts.some((text) => text === '' || /[\n\0]/.test(text))) {
    return { paths: [], cut: false };
  }
  const patterns = texts.flatMap((text) => ['-e', text]);
  const options = ['--threads=1', '-I', '-z', '-l', '--fixed-strings', '--ignore-case'];
  const parts = ['grep', ...options, '--all-match', ...patterns, commit, '--'];
  try {
    const { bytes, cut } = await runIn(directory, parts, {
      // 1: no file matches.
      statuses: [0, 1],
      limits: { seconds: Math.ceil(Math.min(seconds, secondsMax)), memoryBytes: 512 * mebibyte },
      outputBytesMax,
      cut: true,
    });
    return { paths: pathsOf(bytes, commit), cut };
  } catch (error) {
    if (!(error instanceof GitError) || error.kind !== 'limit') throw error;
    return { paths: [], cut: true };
  }
}

/** `COMMIT:PATH`, each with a NUL byte at its end; without that it was cut. */
function pathsOf(bytes: Buffer, commit: ObjectId): string[] {
  return bytes
    .toString()
    .split('\0')
    .slice(0, -1)
    .map((line) => line.slice(commit.length + 1));
}
