/** Numbers of lines, both included. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** By the path of a file. */
export type ShownLines = ReadonlyMap<string, readonly LineRange[]>;

/** In order, without overlaps. */
export function mergeRanges(ranges: readonly LineRange[]): readonly LineRange[] {
  const merged: LineRange[] = [];
  for (const range of ranges.toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1);
    if (last && range.from <= last.to + 1) {
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
    } else {
      merged.push(range);
    }
  }
  return merged;
}
