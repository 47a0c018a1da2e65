import { type GitDirectory, runIn } from '../commands/git-directory.ts';
import type { BlamedLines } from '../blamed-lines.ts';
import { clampSeconds } from '../format/signature.ts';
import { GitError } from '../git-error.ts';
import {
  expectObjectId,
  type ObjectId,
  parseObjectId,
  parseTreePath,
  type TreePath,
} from '../names.ts';

const mebibyte = 1024 * 1024;

/** Blame of a file: time, and memory. Of a file with a long history, git reads every version. */
const limits = { seconds: 10, memoryBytes: 512 * mebibyte };

export async function blame(
  directory: GitDirectory,
  commit: ObjectId,
  path: TreePath,
): Promise<BlamedLines[]> {
  const { bytes } = await runIn(directory, ['blame', '--incremental', commit, '--', path], {
    limits,
    slow: true,
    // Names beyond ASCII come as they are.
    settings: ['core.quotePath=false'],
    outputBytesMax: 32 * mebibyte,
  });
  return parseIncremental(bytes.toString()).toSorted((one, other) => one.from - other.from);
}

type About = Pick<BlamedLines, 'author' | 'seconds' | 'title' | 'previous'>;

/**
 * Entries of git-blame(1), "INCREMENTAL OUTPUT": a line `commit line-before line count`, what is known of the commit where it comes for
 * the first time, and `filename` at the end.
 */
function parseIncremental(text: string): BlamedLines[] {
  const commits = new Map<ObjectId, About>();
  const found: BlamedLines[] = [];
  let lines: { commit: ObjectId; from: number; count: number } | undefined;
  let headers = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, id = '', from, count] = /^([0-9a-f]{40}) \d+ (\d+) (\d+)$/.exec(line) ?? [];
    if (from !== undefined) {
      lines = { commit: expectObjectId(id), from: Number(from), count: Number(count) };
      headers = new Map();
      continue;
    }
    const space = line.indexOf(' ');
    headers.set(line.slice(0, space), line.slice(space + 1));
    if (!lines || !line.startsWith('filename ')) continue;
    const about = headers.has('summary') ? aboutOf(headers) : commits.get(lines.commit);
    if (!about) throw new GitError('failed', `git blame did not describe ${lines.commit}.`);
    commits.set(lines.commit, about);
    found.push({ ...lines, ...about });
  }
  return found;
}

function aboutOf(headers: ReadonlyMap<string, string>): About {
  return {
    author: headers.get('author') ?? '',
    seconds: clampSeconds(Number(headers.get('author-time') ?? 0)),
    title: headers.get('summary') ?? '',
    previous: previousOf(headers.get('previous')),
  };
}

/** Where the lines were changed. Names with control characters, which git writes in quotes, are left out. */
function previousOf(text = ''): BlamedLines['previous'] {
  const commit = parseObjectId(text.slice(0, 40));
  const path = text.charAt(41) === '"' ? undefined : parseTreePath(text.slice(41));
  return commit && path && { commit, path };
}
