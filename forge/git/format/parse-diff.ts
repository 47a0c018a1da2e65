import type { DiffOptions, FileChange } from '../file-change.ts';
import { GitError } from '../git-error.ts';
import { expectObjectId, noObject } from '../names.ts';

/** A line of `--raw`. */
interface RawChange {
  readonly letter: string;
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldId: string;
  readonly newId: string;
  readonly previousPath: string | undefined;
  readonly path: string;
}

interface LineCounts {
  readonly additions: number;
  readonly deletions: number;
  readonly binary: boolean;
}

/**
 * Reads `git diff --raw --numstat -z --patch`: every file of the first kind, then every file of the
 * second, then a NUL and the patches, all in the same order. With `-z` the paths of the first two
 * are as they are; those in the patches stay quoted, so that a line that begins with `diff --git `
 * is always the beginning of a patch. Where spaces are ignored, a file that differs in nothing else has neither counts nor a patch.
 */
export function parseDiff(output: Buffer, cut: boolean, options: DiffOptions): FileChange[] {
  const fields = new Fields(output);
  const listed: RawChange[] = [];
  while (fields.startsWith(':')) listed.push(readRawChange(fields));
  const counted = listed.flatMap((change) => {
    if (options.ignoreWhitespace && !isCounted(fields, change)) return [];
    return [{ change, counts: readCounts(fields, change) }];
  });
  fields.skipNul();
  const wanted = counted.slice(0, options.filesMax).map(({ change }) => change);
  const patches = options.patches ? readPatches(fields.rest(), wanted, cut) : [];
  let bytesLeft = options.totalBytesMax ?? Number.POSITIVE_INFINITY;
  return wanted.map((change, index) => {
    const whole = patches[index];
    const fits = whole !== undefined && whole.length <= (options.patchBytesMax ?? whole.length);
    const patch = fits && whole.length <= bytesLeft ? whole : undefined;
    bytesLeft -= patch?.length ?? 0;
    const { additions, deletions, binary } = counted[index]?.counts ?? noCounts;
    return {
      status: statusOf(change),
      path: change.path,
      previousPath: change.previousPath,
      id: expectObjectId(change.newId === noObject ? change.oldId : change.newId),
      mode: change.letter === 'D' ? change.oldMode : change.newMode,
      additions,
      deletions,
      binary,
      patch: patch?.toString(),
    };
  });
}

const noCounts: LineCounts = { additions: 0, deletions: 0, binary: false };

/** `:<mode> <mode> <object> <object> <letter><score>`, then the path, or both paths of a rename. */
function readRawChange(fields: Fields): RawChange {
  const [oldMode = '', newMode = '', oldId = '', newId = '', status = ''] = fields
    .next()
    .slice(1)
    .split(' ');
  const letter = status.slice(0, 1);
  const first = fields.next();
  const moved = letter === 'R' || letter === 'C';
  return {
    letter,
    oldMode,
    newMode,
    oldId,
    newId,
    previousPath: moved ? first : undefined,
    path: moved ? fields.next() : first,
  };
}

/** Whether the counts that come next are those of the file. */
function isCounted(fields: Fields, change: RawChange): boolean {
  const [, , ...path] = fields.peek().split('\t');
  return path.join('\t') === (change.previousPath === undefined ? change.path : '');
}

/** `<added> TAB <deleted> TAB <path>`; for renames the path is empty and both paths follow. */
function readCounts(fields: Fields, change: RawChange): LineCounts {
  const [added = '', deleted = '', ...path] = fields.next().split('\t');
  const named = path.join('\t');
  const last = named === '' ? [fields.next(), fields.next()][1] : named;
  if (last !== change.path)
    throw new TypeError(`git counted the lines of ${last ?? ''} out of turn`);
  if (added === '-') return { additions: 0, deletions: 0, binary: true };
  return { additions: Number(added), deletions: Number(deleted), binary: false };
}

const fileStart = Buffer.from('\ndiff --git ');
const hunkStart = Buffer.from('\n@@ ');

/** The hunks of each file, or undefined for a file without hunks or whose patch was cut off. */
function readPatches(
  text: Buffer,
  changes: readonly RawChange[],
  cut: boolean,
): (Buffer | undefined)[] {
  let at = 0;
  const nextSection = (): Buffer | undefined => {
    const end = text.indexOf(fileStart, at);
    if (at >= text.length || (end === -1 && cut)) return undefined;
    const section = text.subarray(at, end === -1 ? text.length : end + 1);
    at += section.length;
    return section;
  };
  return changes.map((change) => {
    const sections = [nextSection(), ...(isReplaced(change) ? [nextSection()] : [])];
    // If a link replaces a file, git prints a removal and an addition: the hunks follow each
    // other.
    const hunks = sections.map((section) => section && hunksOf(section));
    const found = hunks.filter((each) => each !== undefined);
    return found.length === 0 || sections.includes(undefined)
      ? undefined
      : withoutFinalNewline(Buffer.concat(found));
  });
}

function hunksOf(section: Buffer): Buffer | undefined {
  const start = section.indexOf(hunkStart);
  return start === -1 ? undefined : section.subarray(start + 1);
}

function withoutFinalNewline(patch: Buffer): Buffer {
  return patch.at(-1) === 0x0a ? patch.subarray(0, -1) : patch;
}

/** Whether the entry changed between file, link and submodule. */
function isReplaced({ letter, oldMode, newMode }: RawChange): boolean {
  return letter === 'T' && oldMode.slice(0, 3) !== newMode.slice(0, 3);
}

function statusOf(change: RawChange): FileChange['status'] {
  switch (change.letter) {
    case 'A':
      return 'added';
    case 'D':
      return 'removed';
    case 'R':
      return 'renamed';
    case 'C':
      return 'copied';
    case 'T':
      return 'changed';
    default:
      return change.oldId === change.newId ? 'changed' : 'modified';
  }
}

/** Fields that each end in NUL. */
class Fields {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  startsWith(character: string): boolean {
    return this.#bytes.toString('latin1', this.#at, this.#at + 1) === character;
  }

  /** The field that comes next, or nothing at the end of the list. */
  peek(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    return end === -1 ? '' : this.#bytes.toString('utf8', this.#at, end);
  }

  next(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    if (end === -1) throw new GitError('limit', 'The list of changed files is too long.');
    const field = this.#bytes.toString('utf8', this.#at, end);
    this.#at = end + 1;
    return field;
  }

  skipNul(): void {
    if (this.#bytes[this.#at] === 0) this.#at += 1;
  }

  rest(): Buffer {
    return this.#bytes.subarray(this.#at);
  }
}
