import { isAhead } from '#platform/clock.ts';

const windowMilliseconds = 10 * 60_000;
const lockMilliseconds = 10 * 60_000;

/** Counts failures by key and locks a key with too many failures. In memory: a restart resets it. */
export interface FailureWatch {
  /** How many more failures lock the key; 0 while it is locked. */
  left(key: string, now: number): number;
  fail(key: string, now: number): void;
}

interface FailureRecord {
  readonly times: readonly number[];
  readonly lockedUntil: number;
}

/** This many failures within ten minutes lock for ten minutes. With too many keys, those with the oldest failures are dropped. */
export function createFailureWatch(failuresMax: number, keysMax: number): FailureWatch {
  const records = new Map<string, FailureRecord>();
  return {
    left(key, now) {
      const record = records.get(key);
      if (!record) return failuresMax;
      return isLocked(record, now) ? 0 : failuresMax - recent(record, now).length;
    },
    fail(key, now) {
      const record = records.get(key);
      // Failures do not extend a lock; otherwise an attacker could lock out a user forever.
      if (record && isLocked(record, now)) return;
      const times = [...(record ? recent(record, now) : []), now];
      const locked = times.length >= failuresMax;
      records.delete(key);
      records.set(key, locked ? lockedFrom(now) : { times, lockedUntil: 0 });
      if (records.size > keysMax) forgetOldest(records);
    },
  };
}

function isLocked({ lockedUntil }: FailureRecord, now: number): boolean {
  return isAhead(lockedUntil, now, lockMilliseconds);
}

function recent(record: FailureRecord, now: number): readonly number[] {
  return record.times.filter((time) => time <= now && time > now - windowMilliseconds);
}

function lockedFrom(now: number): FailureRecord {
  return { times: [], lockedUntil: now + lockMilliseconds };
}

function forgetOldest(records: Map<string, FailureRecord>): void {
  const oldest = records.keys().next();
  if (!oldest.done) records.delete(oldest.value);
}
