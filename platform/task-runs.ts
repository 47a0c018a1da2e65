import type { Clock } from './clock.ts';
import type { ScheduledTask } from './schedule.ts';

/** A task of a schedule with its last run in this process. */
export interface TaskRun {
  readonly name: string;
  /** undefined: it has not run yet. */
  readonly last: { readonly endedAt: number; readonly failed: boolean } | undefined;
}

/** Remembers when tasks ran last. */
export class TaskRuns {
  readonly #clock: Clock;
  readonly #last = new Map<string, TaskRun['last']>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The same tasks, whose runs are remembered from now on. */
  observed(tasks: readonly ScheduledTask[]): readonly ScheduledTask[] {
    return tasks.map((task) => this.#observed(task));
  }

  #observed(task: ScheduledTask): ScheduledTask {
    const { name } = task;
    this.#last.set(name, undefined);
    const ended = (failed: boolean): void => {
      this.#last.set(name, { endedAt: this.#clock.now(), failed });
    };
    return {
      ...task,
      run: async (goesOn) => {
        try {
          await task.run(goesOn);
          ended(false);
        } catch (error) {
          ended(true);
          throw error;
        }
      },
    };
  }

  list(): readonly TaskRun[] {
    return [...this.#last].map(([name, last]) => ({ name, last }));
  }
}
