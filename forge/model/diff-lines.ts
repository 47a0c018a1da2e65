/** The left side is the old version, the right side the new one. */
export type Side = 'LEFT' | 'RIGHT';

/** A line of a patch that can have comments. */
export interface DiffLine {
  /** Lines below the first `@@`; later `@@` lines count. */
  readonly position: number;
  /** The lines of the file before and after; a removed line has no right one, an added line no left one. */
  readonly left: number | undefined;
  readonly right: number | undefined;
  /** Which `@@` it is below, counted from zero. */
  readonly hunk: number;
}

const hunkStart = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** The lines of a file's patch, which begins with its first `@@`. */
export function diffLines(patch: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let [left, right, hunk] = [0, 0, -1];
  for (const [position, text] of patch.split('\n').entries()) {
    const start = hunkStart.exec(text);
    if (start) {
      [left, right, hunk] = [Number(start[1]), Number(start[2]), hunk + 1];
      continue;
    }
    const sign = text.charAt(0);
    if (sign === '-') lines.push({ position, left, right: undefined, hunk });
    else if (sign === '+') lines.push({ position, left: undefined, right, hunk });
    else if (sign === ' ') lines.push({ position, left, right, hunk });
    if (sign === '-' || sign === ' ') left += 1;
    if (sign === '+' || sign === ' ') right += 1;
  }
  return lines;
}

export function lineAt(lines: readonly DiffLine[], side: Side, line: number): DiffLine | undefined {
  return lines.find((each) => (side === 'LEFT' ? each.left : each.right) === line);
}

/** A side on which the line has a number, and that number: the right one where it has both. */
export function sideOf({ left, right }: DiffLine): { side: Side; line: number } {
  if (right !== undefined) return { side: 'RIGHT', line: right };
  if (left !== undefined) return { side: 'LEFT', line: left };
  throw new TypeError('a line of a diff is on one side at least');
}

/** From the `@@` above a line down to it. */
export function hunkDownTo(patch: string, position: number): string {
  const lines = patch.split('\n').slice(0, position + 1);
  return lines.slice(lines.findLastIndex((text) => hunkStart.test(text))).join('\n');
}

/** The number that a line of the file before has in the file after; undefined when the patch removes it. */
export function mapLineNumber(patch: string, line: number): number | undefined {
  let shift = 0;
  for (const each of diffLines(patch)) {
    if (each.left !== undefined && each.left > line) break;
    if (each.left === line) return each.right;
    // The added and removed lines before this line give its shift.
    if (each.left === undefined && (each.right ?? 0) - shift <= line) shift += 1;
    if (each.right === undefined) shift -= 1;
  }
  return line + shift;
}
