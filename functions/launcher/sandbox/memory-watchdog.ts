import { startTimeOf, killProcess, ownMemory, treeOf } from '../process/process-tree.ts';

export interface MemoryWatchdog {
  readonly ranOutOfMemory: boolean;
  readonly peak: number;
  /** Every process ever seen, with its start time; some may have left the tree since. */
  readonly seen: ReadonlyMap<number, string>;
  stop(): void;
}

export const watchMilliseconds = 20;
/** Looking for new processes costs more than asking the known ones. */
const ticksBetweenTrees = 5;

/** Kills a program whose processes together hold more memory than they may. */
export function watchMemory(root: number, limit: number): MemoryWatchdog {
  const seen = new Map<number, string>();
  let known: number[] = [];
  let tick = 0;
  const state = { ranOutOfMemory: false, peak: 0, seen, stop: () => clearInterval(timer) };

  function look(): void {
    if (tick % ticksBetweenTrees === 0) {
      known = treeOf(root);
      for (const pid of known) if (!seen.has(pid)) seen.set(pid, startTimeOf(pid) ?? '');
    }
    tick += 1;
    const held = known.reduce((sum, pid) => sum + ownMemory(pid), 0);
    state.peak = Math.max(state.peak, held);
    if (held <= limit) return;
    state.ranOutOfMemory = true;
    // The root of the tree last: it reports how the program ended.
    treeOf(root).toReversed().forEach(killProcess);
  }

  const timer = setInterval(look, watchMilliseconds);
  timer.unref();
  look();
  return state;
}
