import { createHmac } from 'node:crypto';

import { passwordHash } from '../accounts/account-store.ts';
import type { Ports } from '../ports/ports.ts';

/** Time for which a verified password is not hashed again: git sends it with each of several requests. */
const rememberedMilliseconds = 60_000;
/** Verified passwords in the cache. */
const rememberedMax = 10_000;

export interface VerifiedPasswords {
  /** The stored hash of the account's password, where this is it. Takes as long for accounts that do not exist. */
  verify(accountId: number | undefined, password: string): Promise<string | undefined>;
}

/**
 * Caches verified passwords for a minute, under a key that exists only in this process. The stored hash is part of the cache
 * key, so that a change of the password invalidates the entry at once.
 */
export function createVerifiedPasswords(
  ports: Pick<Ports, 'clock' | 'database' | 'passwords' | 'randomBytes'>,
): VerifiedPasswords {
  const key = ports.randomBytes(32);
  const remembered = new Map<string, number>();
  return {
    async verify(accountId, password) {
      const hash =
        accountId === undefined
          ? undefined
          : await ports.database.read((sql) => passwordHash(sql, accountId));
      const mark = createHmac('sha256', key)
        .update(`${accountId}\n${hash}\n${password}`)
        .digest('hex');
      const now = ports.clock.now();
      if (hash !== undefined && (remembered.get(mark) ?? 0) > now) return hash;
      const right = await ports.passwords.verify(password, hash);
      if (right) {
        if (remembered.size >= rememberedMax) remembered.clear();
        remembered.set(mark, now + rememberedMilliseconds);
      }
      return right ? hash : undefined;
    },
  };
}
