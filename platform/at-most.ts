/** Resolves when the work has ended, or after that time, in which case it goes on. */
export async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, elapsed]).finally(() => clearTimeout(timer));
}
