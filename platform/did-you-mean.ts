/** The candidate most similar to mistyped input, or undefined when none is similar. */
export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word.slice(0, 64), candidate) }))
    .toSorted((one, other) => one.distance - other.distance);
  const best = ranked[0];
  // Two letters swapped, or a third of them wrong, is still a typing mistake; more is not.
  return best && best.distance <= Math.max(2, word.length / 3) ? best.candidate : undefined;
}

/** Levenshtein: how many letters must be added, dropped or changed. */
function editDistance(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [row, letter] of one.split('').entries()) {
    const current = [row + 1];
    for (const [column, otherLetter] of other.split('').entries()) {
      const changed = (previous[column] ?? 0) + (letter === otherLetter ? 0 : 1);
      const dropped = (previous[column + 1] ?? 0) + 1;
      const added = (current[column] ?? 0) + 1;
      current.push(Math.min(changed, dropped, added));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}
