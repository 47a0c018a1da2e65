import { createHmac } from 'node:crypto';

import type { Credential } from './credential.ts';
import { scopeTerminator, serviceName } from './credential-scope.ts';

/** Keys that are signed with, by credential and day: deriving one takes four rounds, and opening the secret more. */
export interface SigningKeys {
  of(credential: Credential, day: string): Buffer;
}

/** Two days of 500 busy credentials; the least recently used go first. */
const signingKeysMax = 1000;

export function createSigningKeys(region: string): SigningKeys {
  const kept = new Map<string, Buffer>();
  return {
    of(credential, day) {
      const name = `${day} ${credential.mark}`;
      const known = kept.get(name);
      if (known) kept.delete(name);
      const key = known ?? derive(credential.secret(), day, region);
      kept.set(name, key);
      if (kept.size > signingKeysMax) forgetOldest(kept);
      return key;
    },
  };
}

function derive(secret: string, day: string, region: string): Buffer {
  return [day, region, serviceName, scopeTerminator].reduce(
    (key, word) => createHmac('sha256', key).update(word).digest(),
    Buffer.from(`AWS4${secret}`),
  );
}

function forgetOldest(kept: Map<string, Buffer>): void {
  const oldest = kept.keys().next();
  if (!oldest.done) kept.delete(oldest.value);
}
