/** Resolves with the work, or after that time: what hangs is interrupted by the end of the process, as by a crash. */
export async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, elapsed]).finally(() => clearTimeout(timer));
}
