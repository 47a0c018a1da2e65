import { setTimeout as delay } from 'node:timers/promises';

/** Work that is done from time to time, whatever anybody asks for. */
export interface ScheduledTask {
  readonly name: string;
  /** From the end of one run to the beginning of the next. */
  readonly everyMilliseconds: number;
  /** Should end soon once `goesOn` answers false: the server is stopping. */
  run(goesOn: () => boolean): Promise<void>;
}

export interface Schedule {
  start(): void;
  /** The clock has been set forward: what would have been due by that runs now. */
  advance(milliseconds: number): void;
  /** Begins nothing more and waits a little for what runs, which may find the rest of the server gone after that. */
  close(): Promise<void>;
}

/** Time from a start to the first run of what is done from time to time, also of what is done once a day. */
const firstMillisecondsMax = 5 * 60_000;
/** Time that a stop waits for such a run. */
const closeMilliseconds = 2000;

/** Runs tasks one at a time, so that all of them together take no more from the host than the largest. */
export function createSchedule(
  tasks: readonly ScheduledTask[],
  onError: (error: unknown, task: string) => void,
): Schedule {
  const timers = new Map<ScheduledTask, { readonly timer: NodeJS.Timeout; readonly at: number }>();
  let last: Promise<void> = Promise.resolve();
  let closed = false;

  function plan(task: ScheduledTask, milliseconds: number): void {
    if (closed) return;
    const timer = setTimeout(() => {
      timers.delete(task);
      last = last.then(() => run(task));
    }, milliseconds);
    timer.unref();
    timers.set(task, { timer, at: performance.now() + milliseconds });
  }

  async function run(task: ScheduledTask): Promise<void> {
    if (closed) return;
    try {
      await task.run(() => !closed);
    } catch (error) {
      onError(error, task.name);
    }
    plan(task, task.everyMilliseconds);
  }

  return {
    start() {
      for (const task of tasks) plan(task, Math.min(task.everyMilliseconds, firstMillisecondsMax));
    },
    advance(milliseconds) {
      for (const [task, { timer, at }] of timers) {
        clearTimeout(timer);
        plan(task, Math.max(0, at - milliseconds - performance.now()));
      }
    },
    async close() {
      closed = true;
      for (const { timer } of timers.values()) clearTimeout(timer);
      await Promise.race([last, delay(closeMilliseconds, undefined, { ref: false })]);
    },
  };
}
