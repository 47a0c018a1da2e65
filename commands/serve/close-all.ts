/** Closes the last first. A failure to close one does not leave the others open. */
export async function closeAll(closers: (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (let close = closers.pop(); close; close = closers.pop()) {
    await close().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, 'The server did not stop cleanly.');
}
