import type { Sql } from '#platform/database/database.ts';
import { OperatorError } from '#platform/operator-error.ts';

import { keyName, sealerOf } from './seal.ts';

/** The service key that this database belongs to, by its fingerprint. */
export interface Fingerprints {
  readonly current: string;
  /** The fingerprint of the new key during a rotation. */
  readonly next: string | undefined;
  /** Since the first change every sealed text names its key. */
  readonly changedBefore: boolean;
}

export async function readFingerprints(sql: Sql): Promise<Fingerprints | undefined> {
  const row = await sql.get<{
    fingerprint: string;
    next_fingerprint: string | null;
    rotated_at: number | null;
  }>(
    'select fingerprint, next_fingerprint, rotated_at from function_service_keys where only_one = 1',
  );
  return (
    row && {
      current: row.fingerprint,
      next: row.next_fingerprint ?? undefined,
      changedBefore: row.rotated_at !== null,
    }
  );
}

/** Stores the fingerprint unless there is one, and returns the stored one. */
export async function insertFingerprint(
  sql: Sql,
  fingerprint: string,
  now: number,
): Promise<Fingerprints> {
  await sql.run(
    `insert into function_service_keys (only_one, fingerprint, created_at) values (1, $1, $2)
     on conflict (only_one) do nothing`,
    fingerprint,
    now,
  );
  const stored = await readFingerprints(sql);
  if (!stored) throw new Error('An insert made no row.');
  return stored;
}

/** From now on `next` encrypts; false when the key is no longer `current`. */
export async function beginKeyChange(sql: Sql, current: string, next: string): Promise<boolean> {
  const changed = await sql.run(
    `update function_service_keys set next_fingerprint = $2
     where fingerprint = $1 and (next_fingerprint is null or next_fingerprint = $2)`,
    current,
    next,
  );
  return changed === 1;
}

/** Ends the rotation: only `next` is needed to decrypt. */
export async function endKeyChange(sql: Sql, next: string, now: number): Promise<void> {
  await sql.run(
    `update function_service_keys set fingerprint = $1, next_fingerprint = null, rotated_at = $2
     where next_fingerprint = $1`,
    next,
    now,
  );
}

/** The text was encrypted with a key that was replaced meanwhile: a retry with the new one succeeds. */
export class ReplacedKeyError extends OperatorError {
  constructor() {
    super('The service key was replaced at the same time. Try again.');
  }
}

/**
 * Called in the transaction that stores an encrypted text: no text may be stored that only a replaced key can decrypt, whichever
 * process encrypted it.
 */
export async function requireCurrentSeal(sql: Sql, sealed: string): Promise<void> {
  const stored = await readFingerprints(sql);
  if (!stored) return;
  const name = sealerOf(sealed);
  const unnamed = name === undefined && stored.next === undefined && !stored.changedBefore;
  if (!unnamed && name !== keyName(stored.next ?? stored.current)) throw new ReplacedKeyError();
}
