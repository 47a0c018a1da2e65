/** How many parts of a test run go on at once. */

export interface TestParts {
  /** Each uses a processor all the time. */
  readonly computing: readonly string[][];
  /** Each waits half of the time: for servers to start, for disks and for timers. */
  readonly waiting: readonly string[][];
}

/**
 * Runs each part once, those of a kind in their order. A slot, one for each processor, runs one part that computes, or two that wait. Half
 * of the slots begin with those that wait, and each goes on with the other kind when there is nothing left of its own.
 */
export async function runInSlots(
  { computing, waiting }: TestParts,
  slots: number,
  runPart: (part: string[]) => Promise<void>,
): Promise<void> {
  const remaining = { computing: [...computing], waiting: [...waiting] };
  const runAll = async (kind: keyof TestParts): Promise<void> => {
    const { [kind]: parts } = remaining;
    for (let part = parts.shift(); part; part = parts.shift()) await runPart(part);
  };
  const runWaiting = (): Promise<unknown> => Promise.all([runAll('waiting'), runAll('waiting')]);
  const runSlot = async (index: number): Promise<void> => {
    if (index % 2 === 0) {
      await runWaiting();
      await runAll('computing');
    } else {
      await runAll('computing');
      await runWaiting();
    }
  };
  await Promise.all(Array.from({ length: slots }, (_, index) => runSlot(index)));
}
