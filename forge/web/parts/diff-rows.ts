import { diffWordsWithSpace } from 'diff';

/** A part of a line, and whether it is what changed in it. */
export interface Segment {
  readonly text: string;
  readonly changed: boolean;
}

/** Lines of the file that are not in the patch, by their numbers on the right; both included. Undefined: until its end. */
export interface HiddenLines {
  readonly from: number;
  readonly to: number | undefined;
}

/** A line of a patch, or of the file around it. `\ No newline at end of file` is a note. */
export type DiffRow =
  /** With the lines before it that are not shown; without a text, these are the last of the file. */
  | { readonly kind: 'hunk'; readonly text: string; readonly hidden?: HiddenLines }
  | { readonly kind: 'note'; readonly text: string }
  | {
      readonly kind: 'same';
      readonly left: number;
      readonly right: number;
      readonly text: string;
      /** It is not in the patch. */
      readonly outside?: true;
    }
  | { readonly kind: 'removed'; readonly left: number; readonly parts: readonly Segment[] }
  | { readonly kind: 'added'; readonly right: number; readonly parts: readonly Segment[] };

type Removed = DiffRow & { kind: 'removed' };
type Added = DiffRow & { kind: 'added' };
type Unchanged = Exclude<DiffRow, Removed | Added>;

/** Line of a diff in which changed words are marked; longer ones are marked whole. */
const wordsCharactersMax = 1000;
/**
 * Lines of a page in which changed words are marked, all together: comparing words takes longer than everything else on the
 * page.
 */
const pageCharactersMax = 100_000;
/** Changed words of a line that are marked; a line with more is marked whole. */
const wordEditsMax = 100;

const hunkStart = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** What is left for comparing words, for all patches of a page. */
export interface WordBudget {
  characters: number;
}

export function newWordBudget(): WordBudget {
  return { characters: pageCharactersMax };
}

/** The lines of a patch with their numbers, and in lines that replace others the words that changed. */
export function diffRows(patch: string, budget: WordBudget = newWordBudget()): DiffRow[] {
  let [left, right] = [0, 0];
  const rows: DiffRow[] = [];
  for (const text of patch.split('\n')) {
    const start = hunkStart.exec(text);
    const rest = text.slice(1);
    if (start) {
      [left, right] = [Number(start[1]), Number(start[2])];
      rows.push({ kind: 'hunk', text });
    } else if (text.startsWith('-')) {
      rows.push({ kind: 'removed', left: left++, parts: whole(rest) });
    } else if (text.startsWith('+')) {
      rows.push({ kind: 'added', right: right++, parts: whole(rest) });
    } else if (text.startsWith(' ')) {
      rows.push({ kind: 'same', left: left++, right: right++, text: rest });
    } else {
      rows.push({ kind: 'note', text });
    }
  }
  return markWords(rows, budget);
}

/** Rows side by side: removed lines on the left, what replaced them on the right. */
export function sideBySide(
  rows: readonly DiffRow[],
): readonly (Unchanged | { kind: 'pair'; left?: Removed; right?: Added })[] {
  return runsOf(rows).flatMap((run) => {
    if ('other' in run) return [run.other];
    const { removed, added, notes } = run;
    const pairs = Array.from({ length: Math.max(removed.length, added.length) }, (_, index) => {
      const [left, right] = [removed[index], added[index]];
      return { kind: 'pair' as const, ...(left && { left }), ...(right && { right }) };
    });
    return [...pairs, ...notes];
  });
}

interface Run {
  readonly removed: Removed[];
  readonly added: Added[];
  /** `\ No newline at end of file` between them. */
  readonly notes: Unchanged[];
}

/** Lines that were removed, with those that replaced them; and every other row. */
function runsOf(rows: readonly DiffRow[]): (Run | { readonly other: Unchanged })[] {
  const runs: (Run | { readonly other: Unchanged })[] = [];
  for (const row of rows) {
    const last = runs.at(-1);
    const run = last && 'removed' in last ? last : undefined;
    if (row.kind === 'removed') {
      if (run && run.added.length === 0) run.removed.push(row);
      else runs.push({ removed: [row], added: [], notes: [] });
    } else if (row.kind === 'added') {
      if (run) run.added.push(row);
      else runs.push({ removed: [], added: [row], notes: [] });
    } else if (row.kind === 'note' && run && run.added.length === 0) {
      run.notes.push(row);
    } else {
      runs.push({ other: row });
    }
  }
  return runs;
}

function markWords(rows: readonly DiffRow[], budget: WordBudget): DiffRow[] {
  return runsOf(rows).flatMap((run) => {
    if ('other' in run) return [run.other];
    const { removed, added, notes } = run;
    const marked = removed.slice(0, added.length).map((one, index) => {
      const other = added[index];
      if (!other) return undefined;
      const [before, after] = [textOf(one), textOf(other)];
      budget.characters -= before.length + after.length;
      return budget.characters < 0 ? undefined : compareWords(before, after);
    });
    return [
      ...removed.map((row, index) => ({ ...row, parts: marked[index]?.before ?? row.parts })),
      ...notes,
      ...added.map((row, index) => ({ ...row, parts: marked[index]?.after ?? row.parts })),
    ];
  });
}

/** Undefined where the lines have too little in common for marks to help. */
function compareWords(
  before: string,
  after: string,
): { before: Segment[]; after: Segment[] } | undefined {
  if (before.length > wordsCharactersMax || after.length > wordsCharactersMax) return undefined;
  const found = diffWordsWithSpace(before, after, { maxEditLength: wordEditsMax });
  if (!found) return undefined;
  const same = found.filter(({ added, removed }) => !added && !removed);
  const common = same.reduce((sum, { value }) => sum + value.trim().length, 0);
  if (common * 4 < Math.min(before.trim().length, after.trim().length)) return undefined;
  const segments = (without: 'added' | 'removed'): Segment[] =>
    found
      .filter((part) => !part[without])
      .map(({ value, added, removed }) => ({ text: value, changed: added || removed }));
  return { before: segments('added'), after: segments('removed') };
}

function whole(text: string): Segment[] {
  return [{ text, changed: false }];
}

function textOf({ parts }: Removed | Added): string {
  return parts.map(({ text }) => text).join('');
}
