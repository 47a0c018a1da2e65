/** How many parts of a test run go on at once, and in which order they begin. */

export interface TestParts {
  /** Each uses a processor most of the time. */
  readonly computing: readonly string[][];
  /** Each waits half of the time: for servers to start, for disks and for timers. */
  readonly waiting: readonly string[][];
}

/** What a process of tests, with the programs that it starts, takes at most, in bytes. */
const processBytes = 1.5 * 1024 ** 3;

/** Two for each processor, since every test waits at times, for a program or a disk; fewer where the memory would not suffice. */
export function processesOf(processors: number, memoryBytes: number): number {
  return Math.max(1, Math.min(2 * processors, Math.floor(memoryBytes / processBytes)));
}

/**
 * Runs each part once, those of a kind in their order. Half of the processes begin with those that wait, and each goes on with the other
 * kind when there is nothing left of its own.
 */
export async function runInProcesses(
  { computing, waiting }: TestParts,
  processes: number,
  runPart: (part: string[]) => Promise<void>,
): Promise<void> {
  const kinds = [[...waiting], [...computing]];
  const runAll = async (queues: readonly string[][][]): Promise<void> => {
    for (const queue of queues)
      for (let part = queue.shift(); part; part = queue.shift()) await runPart(part);
  };
  await Promise.all(
    Array.from({ length: processes }, (_, index) =>
      runAll(index % 2 === 0 ? kinds : kinds.toReversed()),
    ),
  );
}
