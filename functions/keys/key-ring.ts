import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/database/database.ts';
import type { Random } from '#platform/random.ts';

import type { AccountRegion } from '../model/function-name.ts';
import { findKey, materialContext } from './key-store.ts';
import { keyArn, keyIdOf, keyState, type KeyRefusal, refusedKey, unreadable } from './key.ts';
import { nonceLength, seal, unseal } from './seal.ts';
import type { ServiceKey } from './service-key.ts';

/** Encrypts a function's data at rest, with a key of the operator's choice or the service key. */
export interface KeyRing {
  /** The context identifies the owner of the secret; decryption requires the same one. Without a key ARN the service key is used. */
  encrypt(
    plain: Uint8Array,
    keyArn: string | undefined,
    context: string,
  ): Promise<Encrypted | KeyRefusal>;
  /** Reads the key's state each time, so that disabling a key takes effect immediately. */
  decrypt(sealed: string, context: string): Promise<Decrypted | KeyRefusal>;
}

interface Encrypted {
  readonly kind: 'encrypted';
  /** Text that names its key. */
  readonly sealed: string;
}

interface Decrypted {
  readonly kind: 'decrypted';
  readonly plain: Uint8Array;
}

export interface KeyRingPorts {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly serviceKey: ServiceKey;
  readonly accountRegion: AccountRegion;
}

/** The prefix of a text that is encrypted with the service key only. */
const serviceKeyName = 'service';

/** The part of a ring's text encrypted with the service key; undefined when a key of the ring encrypted it. */
export function serviceSealed(sealed: string): string | undefined {
  const prefix = `${serviceKeyName}.`;
  return sealed.startsWith(prefix) ? sealed.slice(prefix.length) : undefined;
}

/** The ring's text for a ciphertext of the service key. */
export function byServiceKey(text: string): string {
  return `${serviceKeyName}.${text}`;
}

export function createKeyRing(ports: KeyRingPorts): KeyRing {
  const { database, clock, serviceKey, accountRegion } = ports;

  async function open(id: string, arn: string): Promise<OpenKey | KeyRefusal> {
    const key = await database.read((sql) => findKey(sql, id, clock.now()));
    if (!key) return refusedKey('not found', arn);
    const state = keyState(key);
    if (state !== 'enabled') return refusedKey(state, arn);
    const material = serviceKey.unseal(key.sealedMaterial, materialContext(id));
    return material ? { kind: 'open', material } : unreadable(arn);
  }

  return {
    async encrypt(plain, arn, context) {
      if (arn === undefined) {
        const text = serviceKey.seal(plain, secretContext(context));
        return { kind: 'encrypted', sealed: byServiceKey(text) };
      }
      const id = keyIdOf(accountRegion, arn);
      if (id === undefined) return refusedKey('foreign', arn);
      const key = await open(id, arn);
      if (key.kind === 'refused') return key;
      const nonce = ports.random.bytes(nonceLength);
      const text = seal(key.material, plain, secretContext(context), nonce);
      return { kind: 'encrypted', sealed: `${id}.${text}` };
    },

    async decrypt(sealed, context) {
      const dot = sealed.indexOf('.');
      const [id, text] = [sealed.slice(0, Math.max(dot, 0)), sealed.slice(dot + 1)];
      if (id === serviceKeyName) {
        return decrypted(serviceKey.unseal(text, secretContext(context)), 'the service key');
      }
      const arn = keyArn(accountRegion, id);
      const key = await open(id, arn);
      if (key.kind === 'refused') return key;
      return decrypted(unseal(key.material, text, secretContext(context)), arn);
    },
  };
}

interface OpenKey {
  readonly kind: 'open';
  readonly material: Uint8Array;
}

function decrypted(plain: Uint8Array | undefined, key: string): Decrypted | KeyRefusal {
  return plain ? { kind: 'decrypted', plain } : unreadable(key);
}

/** The encryption context of the ring. */
export function secretContext(context: string): string {
  return `secret of ${context}`;
}

export interface KeyPorts {
  readonly serviceKey: ServiceKey;
  readonly keys: KeyRing;
}
