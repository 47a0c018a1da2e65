import { deriveKey } from '#platform/sigv4/compute-signature.ts';
import type { Credential } from './credential.ts';
import { scopeTerminator, type SignedService } from './credential-scope.ts';

/** Keys that are signed with, by credential, day and service: deriving one takes four rounds, and opening the secret more. */
export interface SigningKeys {
  of(credential: Credential, day: string, service: SignedService): Buffer;
}

/** Derived signing keys that are remembered, the latest used: two days of 500 busy credentials. */
const signingKeysMax = 1000;

export function createSigningKeys(region: string): SigningKeys {
  const keys = new Map<string, Buffer>();
  return {
    of(credential, day, service) {
      const name = `${day} ${service} ${credential.cacheKey}`;
      const known = keys.get(name);
      if (known) keys.delete(name);
      const key =
        known ?? deriveKey(credential.secret(), [day, region, service, scopeTerminator].join('/'));
      keys.set(name, key);
      if (keys.size > signingKeysMax) forgetOldest(keys);
      return key;
    },
  };
}

function forgetOldest(keys: Map<string, Buffer>): void {
  const oldest = keys.keys().next();
  if (!oldest.done) keys.delete(oldest.value);
}
