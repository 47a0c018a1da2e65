/**
 * Widths that fill `total` in the proportion of the given ones. What rounding took too much is taken back from the left,
 * what it left over is given from the right.
 */
export function fitted(widths: readonly number[], total: number): number[] {
  if (widths.length === 0) return [];
  const scale = total / widths.reduce((sum, width) => sum + width, 0);
  const result = widths.map((width) => roundedHalfEven(scale * width));
  let excess = result.reduce((sum, width) => sum + width, 0) - total;
  while (excess !== 0) {
    const step = Math.sign(excess);
    const columns = step > 0 ? result.keys() : [...result.keys()].toReversed();
    for (const column of columns) {
      if (excess === 0) break;
      result[column] = (result[column] ?? 0) - step;
      excess -= step;
    }
  }
  return result;
}

/** Halves go to the even neighbour: banker's rounding, as recorded. */
function roundedHalfEven(value: number): number {
  const below = Math.floor(value);
  if (value - below !== 0.5) return Math.round(value);
  return below % 2 === 0 ? below : below + 1;
}
