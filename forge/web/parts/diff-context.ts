import type { FileChange } from '../../git/file-change.ts';
import type { GitRepository } from '../../git/git.ts';
import type { LineRange } from '../kit/line-ranges.ts';
import type { DiffRow, HiddenLines } from './diff-rows.ts';
import { shownBytesMax } from './markdown-view.ts';

/** The lines of a file after its change. */
export type FileLines =
  | { readonly kind: 'lines'; readonly lines: readonly string[] }
  /** More lines can be shown, but how many there are is not known. */
  | { readonly kind: 'unread' }
  /** No more lines are shown. */
  | { readonly kind: 'none' };

/** Lines that a page shows around the changes of a diff, of all files. */
const linesMax = 5000;
/** URLs for these lines on a page, all together. */
const urlCharactersMax = 1_000_000;

/** What is left for lines around the changes of a page, and for the URLs of the links to them. */
export interface ContextBudget {
  lines: number;
  urlCharacters: number;
}

export function newContextBudget(): ContextBudget {
  return { lines: linesMax, urlCharacters: urlCharactersMax };
}

type Same = DiffRow & { kind: 'same' };

/** A hunk, or lines of the file around the hunks. */
interface Chunk {
  /** Undefined for lines around them. */
  readonly hunk: string | undefined;
  readonly left: number;
  readonly right: number;
  /** The numbers after its last lines. */
  readonly leftEnd: number;
  readonly rightEnd: number;
  readonly rows: readonly DiffRow[];
}

/** What of the file is needed to show lines around its changes. */
export async function readFileLines(
  git: Pick<GitRepository, 'objectInfo' | 'readBlob'>,
  { id, status }: FileChange,
  rows: readonly DiffRow[],
  needed: 'lines' | 'count' | 'nothing',
): Promise<FileLines> {
  const hunks = chunksOf(rows);
  const isCut = mayGoOn(hunks.at(-1));
  if (status === 'removed' || (!isCut && hunks.every(isFirst))) return { kind: 'none' };
  if (needed === 'nothing') return { kind: 'unread' };
  const info = await git.objectInfo(id);
  if (info?.type !== 'blob' || info.size > shownBytesMax) return { kind: 'none' };
  if (needed === 'count' && !isCut) return { kind: 'unread' };
  const text = (await git.readBlob(id))?.toString() ?? '';
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return { kind: 'lines', lines };
}

/** git shows three lines after a change, unless the file ends before. */
function mayGoOn(last: Chunk | undefined): boolean {
  return last !== undefined && last.rows.length >= 3 && last.rows.slice(-3).every(isSame);
}

function isFirst({ right }: Chunk): boolean {
  return right <= 1;
}

function isSame(row: DiffRow): row is Same {
  return row.kind === 'same';
}

/** The rows of a patch with lines of the file around them, and with the lines that are left out before each hunk and at the end. */
export function withContext(
  rows: readonly DiffRow[],
  file: FileLines,
  shown: readonly LineRange[],
  budget: ContextBudget,
): DiffRow[] {
  const hunks = chunksOf(rows);
  const last = hunks.at(-1);
  if (file.kind === 'none' || !last) return [...rows];
  const lines = file.kind === 'lines' ? file.lines : [];
  const chunks: Chunk[] = [];
  let before = { leftEnd: 1, rightEnd: 1 };
  for (const hunk of hunks) {
    chunks.push(...around(before, hunk.right - 1, { lines, shown, budget }), hunk);
    before = hunk;
  }
  chunks.push(...around(last, lines.length, { lines, shown, budget }));
  const joined = joinChunks(chunks);
  const end = joined.at(-1)?.rightEnd ?? 1;
  const isCut = file.kind === 'lines' ? end <= lines.length : mayGoOn(last);
  const rest: HiddenLines = { from: end, to: file.kind === 'lines' ? lines.length : undefined };
  return [
    ...joined.flatMap((chunk, index) => {
      const from = joined[index - 1]?.rightEnd ?? 1;
      const hidden = from < chunk.right ? { from, to: chunk.right - 1 } : undefined;
      return [
        { kind: 'hunk' as const, text: chunk.hunk ?? '', ...(hidden && { hidden }) },
        ...chunk.rows,
      ];
    }),
    ...(isCut ? [{ kind: 'hunk' as const, text: '', hidden: rest }] : []),
  ];
}

/** The lines to show after a chunk, up to a number. */
function around(
  { leftEnd, rightEnd }: Pick<Chunk, 'leftEnd' | 'rightEnd'>,
  to: number,
  {
    lines,
    shown,
    budget,
  }: {
    readonly lines: readonly string[];
    readonly shown: readonly LineRange[];
    readonly budget: ContextBudget;
  },
): Chunk[] {
  return shown.flatMap((range) => {
    const first = Math.max(range.from, rightEnd);
    const last = Math.min(range.to, to, lines.length, first + budget.lines - 1);
    if (last < first) return [];
    budget.lines -= last - first + 1;
    const left = first - rightEnd + leftEnd;
    return {
      hunk: undefined,
      left,
      right: first,
      leftEnd: left + last - first + 1,
      rightEnd: last + 1,
      rows: lines.slice(first - 1, last).map((text, index): Same => {
        return { kind: 'same', left: left + index, right: first + index, text, outside: true };
      }),
    };
  });
}

/** Those with nothing between them become one, with a header of its own. */
function joinChunks(chunks: readonly Chunk[]): Chunk[] {
  const joined: Chunk[] = [];
  for (const chunk of chunks) {
    const last = joined.at(-1);
    if (last?.rightEnd !== chunk.right) {
      joined.push(chunk.hunk === undefined ? withHeader(chunk) : chunk);
    } else {
      const { leftEnd, rightEnd } = chunk;
      const both = { ...last, leftEnd, rightEnd, rows: [...last.rows, ...chunk.rows] };
      joined[joined.length - 1] = withHeader(both);
    }
  }
  return joined;
}

/** With the function of the first line, if git has named it. */
function withHeader(chunk: Chunk): Chunk {
  const { left, right, leftEnd, rightEnd, hunk = '' } = chunk;
  const title = hunk.replace(/^@@[^@]*@@/, '');
  const counts = `@@ -${left},${leftEnd - left} +${right},${rightEnd - right} @@`;
  return { ...chunk, hunk: `${counts}${title}` };
}

function chunksOf(rows: readonly DiffRow[]): Chunk[] {
  const chunks: { hunk: string; rows: DiffRow[] }[] = [];
  for (const row of rows) {
    if (row.kind === 'hunk') chunks.push({ hunk: row.text, rows: [] });
    else chunks.at(-1)?.rows.push(row);
  }
  return chunks.map(({ hunk, rows: own }) => {
    const count = (side: 'removed' | 'added'): number =>
      own.filter(({ kind }) => kind === 'same' || kind === side).length;
    const [, before = '', after = ''] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(hunk) ?? [];
    const [leftCount, rightCount] = [count('removed'), count('added')];
    // A side without lines is named by the line before it.
    const left = Number(before) + (leftCount === 0 ? 1 : 0);
    const right = Number(after) + (rightCount === 0 ? 1 : 0);
    return {
      hunk,
      rows: own,
      left,
      right,
      leftEnd: left + leftCount,
      rightEnd: right + rightCount,
    };
  });
}
