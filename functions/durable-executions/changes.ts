import type { Sql } from '#platform/database/database.ts';

import type { Changed } from './apply-update.ts';
import type { Execution } from './execution.ts';
import { insertEvents } from './history-store.ts';
import { dueOperations, storeOperations } from './operation-store.ts';
import {
  type HistoryEvent,
  type DurableOperation,
  eventOf,
  dueAt,
  type ErrorObject,
} from './operation.ts';
import { storeCounts } from './run-store.ts';

/** The changes of one transaction to an execution: collected first, stored once. */
export class Changes {
  readonly #known: Map<string, DurableOperation>;
  readonly #changed = new Map<string, DurableOperation>();
  /** Those that are new, by their ids: the first is 1. */
  readonly #fresh = new Map<string, number>();
  readonly #events: HistoryEvent[] = [];

  constructor(known: readonly DurableOperation[] = []) {
    this.#known = new Map(known.map((operation) => [operation.id, operation]));
  }

  /** An operation with the changes so far. */
  get(id: string): DurableOperation | undefined {
    return this.#known.get(id);
  }

  get known(): ReadonlyMap<string, DurableOperation> {
    return this.#known;
  }

  get freshCount(): number {
    return this.#fresh.size;
  }

  add({ operation, events }: Changed): void {
    const { id } = operation;
    if (!this.#known.has(id)) this.#fresh.set(id, this.#fresh.size + 1);
    this.#known.set(id, operation);
    this.#changed.set(id, operation);
    this.#events.push(...events);
  }

  note(event: HistoryEvent): void {
    this.#events.push(event);
  }

  /** Applies the timers that have become due. */
  async applyTimers(sql: Sql, executionId: number, now: number): Promise<void> {
    for (const due of await dueOperations(sql, executionId, now)) {
      const operation = this.#changed.get(due.id) ?? due;
      this.#known.set(due.id, operation);
      const elapsed = applyTimers(operation, now);
      if (elapsed) this.add(elapsed);
    }
  }

  /** Returns the execution with its updated counts. */
  async save(
    sql: Sql,
    execution: Execution,
    now: number,
    updatedIn: number = execution.checkpoint,
  ): Promise<Execution> {
    const { id } = execution;
    const placed = [...this.#changed.values()].map((operation) => {
      const position = execution.operations + (this.#fresh.get(operation.id) ?? 0);
      return { operation, position };
    });
    await storeOperations(sql, id, placed, { updatedIn, now });
    await insertEvents(sql, id, execution.events, this.#events);
    const counts = {
      operations: execution.operations + this.#fresh.size,
      events: execution.events + this.#events.length,
    };
    if (this.#changed.size > 0 || this.#events.length > 0) await storeCounts(sql, id, counts);
    return { ...execution, ...counts };
  }
}

/** Applies an operation's timer; undefined when it is not due yet. */
export function applyTimers(operation: DurableOperation, now: number): Changed | undefined {
  const due = dueAt(operation);
  if (due === undefined || due > now) return undefined;
  switch (operation.type) {
    case 'WAIT': {
      const { seconds } = operation;
      return {
        operation: { ...operation, status: 'SUCCEEDED', endedAt: now },
        events: [eventOf('WaitSucceeded', operation, now, { seconds })],
      };
    }
    case 'STEP':
      return { operation: { ...operation, status: 'READY' }, events: [] };
    case 'CALLBACK': {
      const error = operation.timesOutAt === due ? timedOut : silent;
      return {
        operation: { ...operation, error, status: 'TIMED_OUT', endedAt: now },
        events: [eventOf('CallbackTimedOut', operation, now, { error })],
      };
    }
    case 'CHAINED_INVOKE':
    case 'CONTEXT':
      return undefined;
  }
}

const timedOut: ErrorObject = {
  ErrorType: 'Callback.Timeout',
  ErrorMessage: 'Callback timed out',
};

const silent: ErrorObject = {
  ErrorType: 'Callback.Heartbeat',
  ErrorMessage: 'Callback timed out on heartbeat',
};
