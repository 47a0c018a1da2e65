/** Works on every item, on so many at once; rejects with the first failure, once nothing runs any more. */
export async function inParallel<T>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  let failed = false;
  const worker = async (): Promise<void> => {
    for (let next = iterator.next(); !next.done && !failed; next = iterator.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const results = await Promise.allSettled(Array.from({ length: atOnce }, worker));
  const rejected = results.find((result) => result.status === 'rejected');
  if (rejected) throw rejected.reason;
}
