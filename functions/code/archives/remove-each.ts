/**
 * Removes what `remove` answers true for, and returns their number. One that fails holds up none of the others: an AggregateError follows in the
 * end, whose errors name them. `isOver` ends it early: the rest would fail as well.
 */
export async function removeEach<T>(
  items: Iterable<T>,
  remove: (item: T) => Promise<boolean>,
  { nameOf, isOver = () => false }: RemovalOptions<T>,
): Promise<number> {
  const errors: Error[] = [];
  let removed = 0;
  for (const item of items) {
    try {
      if (await remove(item)) removed += 1;
    } catch (cause) {
      errors.push(new Error(`${nameOf(item)} was not removed.`, { cause }));
      if (isOver(cause)) break;
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} removals failed.`);
  return removed;
}

interface RemovalOptions<T> {
  readonly nameOf: (item: T) => string;
  readonly isOver?: (error: unknown) => boolean;
}
