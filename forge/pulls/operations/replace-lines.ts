/** Lines of a file that become others. */
export interface Replacement {
  /** From 1. */
  readonly first: number;
  /** What must be there, without line ends. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * The file with its lines replaced, in whichever encoding it is; the line ends of the file stay. `different`: other lines are there;
 * `overlapping`: two replacements change the same line. Works on the bytes: a file can have millions of lines.
 */
export function replaceLines(
  content: Buffer,
  replacements: readonly Replacement[],
): Buffer | 'different' | 'overlapping' {
  const pieces: Buffer[] = [];
  let line = 1;
  let at = 0;
  let copied = 0;
  for (const { first, before, after } of replacements.toSorted((a, b) => a.first - b.first)) {
    if (first < line) return 'overlapping';
    const start = skipLines(content, at, first - line);
    let last = content.subarray(0, 0);
    at = start;
    for (const text of before) {
      last = content.subarray(at, skipLines(content, at, 1));
      if (last.length === 0 || !shows(last, text)) return 'different';
      at += last.length;
    }
    line = first + before.length;
    pieces.push(content.subarray(copied, start), Buffer.from(linesLike(last, after)));
    copied = at;
  }
  return Buffer.concat([...pieces, content.subarray(copied)]);
}

/** Where the line begins that is so many after the one at an offset. */
function skipLines(content: Buffer, from: number, count: number): number {
  let left = count;
  let at = from;
  for (; left > 0 && at < content.length; at += 1) if (content[at] === lineFeed) left -= 1;
  return at;
}

/** Whether a line is this one in a diff. */
function shows(line: Buffer, text: string): boolean {
  const expected = text.replace(/\r$/, '');
  // No character has more than three bytes for each unit of UTF-16: a longer line need not be read.
  if (line.length > expected.length * 3 + 2) return false;
  const shown = line
    .toString()
    .replace(/\r?\n$/, '')
    .replace(/\r$/, '')
    .replaceAll('\0', '\uFFFD');
  return shown === expected;
}

/** With the line ends of the line that they replace; the last line of a file may have none. */
function linesLike(replaced: Buffer, lines: readonly string[]): string {
  if (replaced.at(-1) !== lineFeed) return lines.join('\n');
  const end = replaced.at(-2) === carriageReturn ? '\r\n' : '\n';
  return lines.map((line) => line + end).join('');
}
