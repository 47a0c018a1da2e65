import { type Html, trusted } from '#web/html.ts';

import { sha256 } from '../../auth/token.ts';
import type { FileChange } from '../../git/file-change.ts';
import type { GitRepository } from '../../git/git.ts';
import type { ShownLines } from '../kit/line-ranges.ts';
import type { WebContext } from '../kit/web-context.ts';
import { codeLanguage } from './code-language.ts';
import {
  type ContextBudget,
  newContextBudget,
  readFileLines,
  withContext,
} from './diff-context.ts';
import { type DiffRow, diffRows, newWordBudget, type Segment } from './diff-rows.ts';

/** The lines of a patch as the highlighter marks them, by their numbers on each side. */
export interface DiffColours {
  readonly left: ReadonlyMap<number, string>;
  readonly right: ReadonlyMap<number, string>;
}

const noColours: DiffColours = { left: new Map(), right: new Map() };

/** The highlighter, and the user who reads. */
export type Colouring = Pick<WebContext, 'highlighter' | 'requester'>;

export interface Line {
  readonly number: number;
  readonly text: string;
}

/** Where the files of a diff are, and the lines around their changes that are shown. */
export interface DiffSource {
  readonly git: Pick<GitRepository, 'objectInfo' | 'readBlob'>;
  readonly shown: ShownLines;
}

/** A file with the rows of its patch; undefined without one. */
export interface ShownFile {
  readonly file: FileChange;
  readonly rows: readonly DiffRow[] | undefined;
  readonly colours: DiffColours;
}

/** Time for the colours of a diff; the files after that are shown without, until the page is asked for again. */
const coloursMilliseconds = 500;

/** Time for looking where the files of a diff end; after that, it is not looked for. */
const endsMilliseconds = 150;

/** Files with the lines of their patches, and what is left for lines around them. */
export interface ShownFiles {
  readonly files: readonly ShownFile[];
  readonly budget: ContextBudget;
}

/** One after the other: the highlighter takes few texts of one reader at a time. */
export async function filesInColours(
  files: readonly FileChange[],
  colouring: Colouring,
  source: DiffSource,
): Promise<ShownFiles> {
  const [words, budget] = [newWordBudget(), newContextBudget()];
  const withRows = [];
  const endsUntil = performance.now() + endsMilliseconds;
  for (const file of files) {
    if (file.patch === undefined) {
      withRows.push({ file, rows: undefined });
      continue;
    }
    const patch = diffRows(file.patch, words);
    const lines = source.shown.get(file.path) ?? [];
    const needed = lines.length > 0 ? 'lines' : performance.now() < endsUntil ? 'count' : 'nothing';
    const whole = await readFileLines(source.git, file, patch, needed);
    withRows.push({ file, rows: withContext(patch, whole, lines, budget) });
  }
  const until = performance.now() + coloursMilliseconds;
  const shown: ShownFile[] = [];
  for (const { file, rows } of withRows) {
    const inTime = rows && performance.now() < until;
    const colours = inTime ? await coloursOf(colouring, file.path, rows) : noColours;
    shown.push({ file, rows, colours });
  }
  return { files: shown, budget };
}

/** Each side is highlighted as it is in the patch: whole files would be read and highlighted for a few lines of each. */
export async function coloursOf(
  { highlighter, requester }: Colouring,
  path: string,
  rows: readonly DiffRow[],
): Promise<DiffColours> {
  const language = codeLanguage(path);
  if (language === undefined) return noColours;
  const coloured = async (lines: readonly Line[]): Promise<ReadonlyMap<number, string>> => {
    if (lines.length === 0) return noColours.left;
    const text = lines.map((line) => line.text).join('\n');
    const found =
      (await highlighter.lines(`patch ${sha256(text)}`, text, language, requester.key)) ?? [];
    return new Map(found.flatMap((markup, index) => withNumber(lines[index], markup)));
  };
  const removes = rows.some(({ kind }) => kind === 'removed');
  const [left, right] = await Promise.all([
    coloured(removes ? rows.flatMap(leftLine) : []),
    coloured(rows.flatMap(rightLine)),
  ]);
  return { left, right };
}

function withNumber(line: Line | undefined, markup: string): [number, string][] {
  return line ? [[line.number, markup]] : [];
}

function leftLine(row: DiffRow): Line[] {
  if (row.kind === 'same') return [{ number: row.left, text: row.text }];
  return row.kind === 'removed' ? [{ number: row.left, text: textOf(row.parts) }] : [];
}

/** The line of a row on the right: one that was not removed. */
export function rightLine(row: DiffRow): Line[] {
  if (row.kind === 'same') return [{ number: row.right, text: row.text }];
  return row.kind === 'added' ? [{ number: row.right, text: textOf(row.parts) }] : [];
}

function textOf(parts: readonly Segment[]): string {
  return parts.map(({ text }) => text).join('');
}

/** A highlighted line with marks around what changed: elements are closed before a mark begins or ends, and opened again after. */
export function markedCode(markup: string, parts: readonly Segment[]): Html {
  if (!parts.some(({ changed }) => changed)) return trusted(markup);
  // An entity is one character of the text, as is everything outside of a tag.
  const pieces = markup.match(/<[^>]*>|&[^;]*;|[^]/g) ?? [];
  const changedAt = parts.flatMap(({ text, changed }) =>
    Array.from({ length: text.length }, () => changed),
  );
  const open: string[] = [];
  let written = '';
  let position = 0;
  let isMarked = false;
  const setMarked = (marked: boolean): void => {
    if (marked === isMarked) return;
    isMarked = marked;
    written += `${'</span>'.repeat(open.length)}${marked ? '<mark>' : '</mark>'}${open.join('')}`;
  };
  for (const piece of pieces) {
    if (piece === '</span>') open.pop();
    else if (piece.startsWith('<')) open.push(piece);
    else setMarked(changedAt[position++] ?? false);
    written += piece;
  }
  setMarked(false);
  return trusted(written);
}
