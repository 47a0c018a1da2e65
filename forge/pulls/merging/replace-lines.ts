/** Lines of a file that become others. */
export interface Replacement {
  /** From 1. */
  readonly first: number;
  /** What must be there, without line ends. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/**
 * The file with its lines replaced, in whichever encoding it is; the line ends of the file stay. `different`: other lines are there;
 * `overlapping`: two replacements change the same line.
 */
export function replaceLines(
  content: Buffer,
  replacements: readonly Replacement[],
): Buffer | 'different' | 'overlapping' {
  // One character for each byte: what is not replaced stays as it is.
  const lines = content.toString('latin1').split(/(?<=\n)/);
  let end = Infinity;
  for (const { first, before, after } of replacements.toSorted((a, b) => b.first - a.first)) {
    if (first + before.length > end) return 'overlapping';
    end = first;
    const present = lines.slice(first - 1, first - 1 + before.length);
    if (present.length < before.length) return 'different';
    const same = present.every((line, index) => shown(line) === before[index]?.replace(/\r$/, ''));
    if (!same) return 'different';
    const last = present.at(-1) ?? '';
    const lineEnd = last.endsWith('\r\n') ? '\r\n' : '\n';
    const added = after.map((line) => Buffer.from(line).toString('latin1') + lineEnd);
    const final = added.at(-1);
    if (final !== undefined && !last.endsWith('\n')) added.splice(-1, 1, final.slice(0, -1));
    lines.splice(first - 1, before.length, ...added);
  }
  return Buffer.from(lines.join(''), 'latin1');
}

/** As a diff shows it. */
function shown(line: string): string {
  return Buffer.from(line.replace(/\r?\n$/, ''), 'latin1')
    .toString()
    .replace(/\r$/, '')
    .replaceAll('\0', '\uFFFD');
}
