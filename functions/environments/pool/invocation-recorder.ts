import type { Clock } from '#platform/clock.ts';
import { type Database, readCommitted } from '#platform/database/database.ts';

import type { EnvironmentPool, EventOutcome } from './environment-pool.ts';
import { addInvocationCount, type InvocationCount } from './invocation-counts-store.ts';

/** Stretch of time for which invocations are counted together. */
export const countedMilliseconds = 5 * 60_000;

/** Functions whose counts of invocations one transaction writes: other writers take turns with it. */
const rowsMax = 200;

interface Count {
  invocations: number;
  errors: number;
  throttles: number;
  concurrency: number;
}

type InvocationStatus = 'succeeded' | 'failed' | Exclude<EventOutcome['kind'], 'answered'>;

/** What environments did since the program started. */
export interface InvocationTotals {
  inProgress: number;
  readonly ended: Record<InvocationStatus, number>;
}

export function noInvocations(): InvocationTotals {
  const ended = { succeeded: 0, failed: 0, throttled: 0, 'not-started': 0, lost: 0 };
  return { inProgress: 0, ended };
}

export interface InvocationRecorder {
  readonly pool: EnvironmentPool;
  /** Of all functions; changes with each invocation. */
  readonly totals: Readonly<InvocationTotals>;
  /** Writes what has been counted since the last time. */
  readonly flush: () => Promise<void>;
}

/**
 * The same pool, which counts the invocations of all functions together and of each. An invocation belongs to the time at which it ended. Counts are written from time to
 * time, because a write for each invocation would cost more than a short one: a crash loses those of the last seconds.
 */
export function recordInvocations(
  pool: EnvironmentPool,
  { database, clock }: { readonly database: Database; readonly clock: Clock },
): InvocationRecorder {
  const totals = noInvocations();
  const running = new Map<string, number>();
  let counts = new Map<string, Map<number, Count>>();

  function countOf(
    name: string,
    beginning = Math.floor(clock.now() / countedMilliseconds) * countedMilliseconds,
  ): Count {
    const own = counts.get(name) ?? new Map<number, Count>();
    counts.set(name, own);
    const count = own.get(beginning) ?? { invocations: 0, errors: 0, throttles: 0, concurrency: 0 };
    own.set(beginning, count);
    return count;
  }

  function begin(name: string): void {
    totals.inProgress += 1;
    const now = (running.get(name) ?? 0) + 1;
    running.set(name, now);
    const count = countOf(name);
    count.concurrency = Math.max(count.concurrency, now);
  }

  function end(name: string, invoked: EventOutcome | undefined): void {
    totals.inProgress -= 1;
    if (invoked) totals.ended[statusOf(invoked)] += 1;
    const now = running.get(name) ?? 1;
    if (now === 1) running.delete(name);
    else running.set(name, now - 1);
    const count = countOf(name);
    count.concurrency = Math.max(count.concurrency, now);
    if (invoked?.kind === 'throttled') {
      count.throttles += 1;
      return;
    }
    count.invocations += 1;
    if (invoked?.kind !== 'answered' || invoked.outcome.kind === 'failed') count.errors += 1;
  }

  async function flush(): Promise<void> {
    const rows = [...counts].flatMap(([functionName, own]) =>
      [...own].map(([beginning, count]) => ({ functionName, beginning, ...count })),
    );
    counts = new Map();
    for (let first = 0; first < rows.length; first += rowsMax) {
      const part = rows.slice(first, first + rowsMax);
      try {
        await database.write(async (sql) => {
          for (const row of part) await addInvocationCount(sql, row);
        }, readCommitted);
      } catch (error) {
        for (const row of rows.slice(first)) takeBack(row);
        throw error;
      }
    }
  }

  /** For the next time. */
  function takeBack({ functionName, beginning, ...lost }: InvocationCount): void {
    const count = countOf(functionName, beginning);
    count.invocations += lost.invocations;
    count.errors += lost.errors;
    count.throttles += lost.throttles;
    count.concurrency = Math.max(count.concurrency, lost.concurrency);
  }

  return {
    totals,
    flush,
    pool: {
      async runEvent(spec, event) {
        begin(spec.functionName);
        let invoked: EventOutcome | undefined;
        try {
          invoked = await pool.runEvent(spec, event);
          return invoked;
        } finally {
          end(spec.functionName, invoked);
        }
      },
      prewarm: (spec) => pool.prewarm(spec),
      ensureProvisioned: (spec, count) => pool.ensureProvisioned(spec, count),
      releaseProvisioned: (name, except) => pool.releaseProvisioned(name, except),
      retain: (isOwn) => pool.retain(isOwn),
      drain: (versionId, keepConfigurationId) => pool.drain(versionId, keepConfigurationId),
      snapshotVersionIds: () => pool.snapshotVersionIds(),
      reap: (forward) => pool.reap(forward),
      counts: () => pool.counts(),
      close: () => pool.close(),
    },
  };
}

/** A streamed response counts as a success: whether it ends with an error shows later. */
function statusOf(invoked: EventOutcome): InvocationStatus {
  if (invoked.kind !== 'answered') return invoked.kind;
  return invoked.outcome.kind === 'failed' ? 'failed' : 'succeeded';
}
