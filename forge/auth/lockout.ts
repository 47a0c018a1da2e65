import { isAhead } from '#platform/clock.ts';

/** Period in which failed logins are counted. */
export const windowMilliseconds = 10 * 60_000;
/** Time that a login or an address stays locked after too many. */
const lockMilliseconds = 10 * 60_000;

/** What failed recently for a key. Once it is locked, `times` is empty. */
export interface FailureRecord {
  readonly times: readonly number[];
  /** 0: never. */
  readonly lockedUntil: number;
}

export const noFailures: FailureRecord = { times: [], lockedUntil: 0 };

/** How many more failures lock, where so many within ten minutes lock for ten minutes; 0 while it is locked. */
export function failuresLeft(record: FailureRecord, failuresMax: number, now: number): number {
  if (isLocked(record, now)) return 0;
  return Math.max(0, failuresMax - recent(record, now).length);
}

/** The record after one more failure. A lock is not extended; otherwise an attacker could lock out a user forever. */
export function addFailure(record: FailureRecord, failuresMax: number, now: number): FailureRecord {
  if (isLocked(record, now)) return record;
  const times = [...recent(record, now), now];
  return times.length >= failuresMax ? lockedFrom(now) : { times, lockedUntil: 0 };
}

function lockedFrom(now: number): FailureRecord {
  return { times: [], lockedUntil: now + lockMilliseconds };
}

function isLocked({ lockedUntil }: FailureRecord, now: number): boolean {
  return isAhead(lockedUntil, now, lockMilliseconds);
}

function recent(record: FailureRecord, now: number): readonly number[] {
  return record.times.filter((time) => time <= now && time > now - windowMilliseconds);
}

/** Counts failures by key and locks a key with too many failures. In memory: a restart resets it. */
export interface FailureWatch {
  /** How many more failures lock the key; 0 while it is locked. */
  left(key: string, now: number): number;
  fail(key: string, now: number): void;
  /** Locks the key now, unless it is locked: others have counted its failures. */
  lock(key: string, now: number): void;
}

/** With too many keys, those with the oldest failures are dropped. */
export function createFailureWatch(failuresMax: number, keysMax: number): FailureWatch {
  const records = new Map<string, FailureRecord>();
  const recordOf = (key: string): FailureRecord => records.get(key) ?? noFailures;
  const put = (key: string, record: FailureRecord): void => {
    records.delete(key);
    records.set(key, record);
    if (records.size > keysMax) forgetOldest(records);
  };
  return {
    left: (key, now) => failuresLeft(recordOf(key), failuresMax, now),
    fail(key, now) {
      const known = recordOf(key);
      const record = addFailure(known, failuresMax, now);
      if (record !== known) put(key, record);
    },
    lock(key, now) {
      if (!isLocked(recordOf(key), now)) put(key, lockedFrom(now));
    },
  };
}

function forgetOldest(records: Map<string, FailureRecord>): void {
  const oldest = records.keys().next();
  if (!oldest.done) records.delete(oldest.value);
}
