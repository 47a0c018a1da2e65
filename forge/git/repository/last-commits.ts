import { type GitDirectory, runIn } from '../commands/git-directory.ts';
import { clampSeconds } from '../format/signature.ts';
import { parseTree } from '../format/tree-object.ts';
import type { LastCommit } from '../history-summary.ts';
import { GitError } from '../git-error.ts';
import { expectObjectId, type ObjectId, type TreePath } from '../names.ts';
import { AnswerCache } from './answer-cache.ts';
import { readObject } from './objects.ts';
import { findPath } from './trees.ts';

/**
 * Commits, of those that touch a folder, in which a page looks for the last change of each entry; what was changed before them
 * is left out, because a page waits for this.
 */
const commitsMax = 1000;

/** Names that are read for these last changes. */
const outputBytesMax = 8 * 1024 * 1024;

/** Search for the last change of each entry of a folder: time, and memory. */
const limits = { seconds: 5, memoryBytes: 512 * 1024 * 1024 };

/** Entries of a folder whose last change is looked for; as many as a page shows. */
const entriesMax = 1000;

/** Title of such a commit; the rest is cut. */
const titleLengthMax = 200;

/** Folders whose last changes are held. */
const answersMax = 100;

/** By directory, commit and folder. */
const answers = new AnswerCache<ReadonlyMap<string, LastCommit>>(answersMax);

export function lastCommits(
  directory: GitDirectory,
  commit: ObjectId,
  folder: TreePath | undefined,
): Promise<ReadonlyMap<string, LastCommit>> {
  const key = `${directory.path} ${commit} ${folder ?? ''}`;
  return answers.get(key, () => find(directory, commit, folder));
}

async function find(
  directory: GitDirectory,
  commit: ObjectId,
  folder: TreePath | undefined,
): Promise<ReadonlyMap<string, LastCommit>> {
  const names = await namesIn(directory, commit, folder);
  const found = new Map<string, LastCommit>();
  const reader = new LogReader((name, last) => {
    if (names.delete(name)) found.set(Buffer.from(name, 'latin1').toString(), last);
  });
  const relative = folder === undefined ? [] : [`--relative=${folder}/`];
  try {
    await runIn(
      directory,
      [
        'log',
        '-z',
        '--name-only',
        '--no-renames',
        `--max-count=${commitsMax}`,
        '--format=/%H%x00%at %s',
        ...relative,
        '--end-of-options',
        commit,
        '--',
        ...(folder === undefined ? [] : [`${folder}/`]),
      ],
      {
        limits,
        slow: true,
        outputBytesMax,
        cut: true,
        enough(chunk) {
          reader.read(chunk);
          return names.size === 0;
        },
      },
    );
  } catch (error) {
    // What was found in time is shown.
    if (!(error instanceof GitError) || error.kind !== 'limit') throw error;
  }
  return found;
}

/** The first entries of a folder; a character for each byte of a name. */
async function namesIn(
  directory: GitDirectory,
  commit: ObjectId,
  folder: TreePath | undefined,
): Promise<Set<string>> {
  const entry = folder === undefined ? undefined : await findPath(directory, commit, folder);
  if (folder !== undefined && entry?.type !== 'tree') return new Set();
  const tree = await readObject(directory, entry?.id ?? `${commit}^{tree}`);
  const records = tree ? parseTree(tree.content).slice(0, entriesMax) : [];
  return new Set(records.map(({ name }) => name));
}

/** Reads what the command above prints: `/ID`, `SECONDS TITLE` and the paths of a commit, a NUL byte after each. */
class LogReader {
  readonly #changed: (name: string, last: LastCommit) => void;
  #rest = '';
  #id: ObjectId | undefined;
  #last: LastCommit | undefined;
  #isFirstPath = false;

  constructor(changed: (name: string, last: LastCommit) => void) {
    this.#changed = changed;
  }

  read(chunk: Buffer): void {
    const parts = (this.#rest + chunk.toString('latin1')).split('\0');
    this.#rest = parts.pop() ?? '';
    for (const part of parts) this.#readPart(part);
  }

  #readPart(part: string): void {
    if (this.#id !== undefined) {
      const [, seconds, title = ''] = /^(\d+) (.*)$/s.exec(part) ?? [];
      const text = Buffer.from(title, 'latin1').toString().slice(0, titleLengthMax);
      this.#last = { id: this.#id, title: text, seconds: clampSeconds(Number(seconds ?? 0)) };
      this.#id = undefined;
      this.#isFirstPath = true;
    } else if (part.startsWith('/')) {
      // No path of a tree begins like this.
      this.#id = expectObjectId(part.slice(1));
    } else if (this.#last) {
      // A line feed is between a commit and its paths.
      const path = this.#isFirstPath && part.startsWith('\n') ? part.slice(1) : part;
      this.#isFirstPath = false;
      this.#changed(path.split('/', 1)[0] ?? '', this.#last);
    }
  }
}
