import { hkdfSync } from 'node:crypto';
import { join } from 'node:path';

import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/database/database.ts';
import { OperatorError } from '#platform/operator-error.ts';
import type { Random } from '#platform/random.ts';

import { keyName, nonceLength, seal, sealerOf, unseal } from './seal.ts';
import { makeKeyFile, renameKeyFile, readKeyFile, readKeyFileAtOnce } from './service-key-file.ts';
import {
  insertFingerprint,
  readFingerprints,
  ReplacedKeyError,
  type Fingerprints,
} from './service-key-store.ts';

/** Encrypts secrets that the service must be able to read again. */
export interface ServiceKey {
  /** The context identifies the secret and its owner; decryption requires the same one. */
  seal(plain: Uint8Array, context: string): string;
  /** Undefined: encrypted with another service key, for another context, or changed since. */
  unseal(sealed: string, context: string): Buffer | undefined;
  /** A key for a purpose other than encryption, derived from the service key in the file, and the name of that. */
  derive(purpose: string): { readonly name: string; readonly key: Uint8Array };
  /** The same from the service key of that name; undefined where no file has it: a replaced key proves nothing any more. */
  deriveFrom(name: string, purpose: string): Uint8Array | undefined;
  /** Encrypts with the newest key from now on: another process has rotated it. */
  reload(): Promise<void>;
}

export interface ServiceKeyPorts {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  /** The functions' own folder in the data directory. */
  readonly folder: string;
}

/** A service key in memory: its name, and the derived encryption key. */
export interface KnownKey {
  readonly fingerprint: string;
  readonly sealing: Uint8Array;
}

/** The files of the key, and of the new one during a rotation. */
export function serviceKeyPaths(folder: string): {
  readonly current: string;
  readonly next: string;
} {
  return { current: join(folder, 'service-key'), next: join(folder, 'service-key.next') };
}

/**
 * Reads the service key, or creates it at the very first start. The database has its fingerprint: a lost or exchanged key is reported
 * at the start, and not replaced by one that decrypts nothing.
 */
export async function openServiceKey(ports: ServiceKeyPorts): Promise<ServiceKey> {
  const { current, next } = serviceKeyPaths(ports.folder);
  /** By name. A replaced key is retained until the process ends, since tokens that it issued are still in use. */
  const known = new Map<string, KnownKey>();
  let sealing: KnownKey;

  async function load(): Promise<KnownKey> {
    const keys = await loadServiceKeys(ports);
    for (const key of [keys.current, keys.sealing]) known.set(keyName(key.fingerprint), key);
    return keys.sealing;
  }

  /** Another process may have started a rotation: decryption is synchronous and cannot ask the database. */
  function lookAgain(name: string): KnownKey | undefined {
    const key = keysInFiles().find(({ fingerprint }) => keyName(fingerprint) === name);
    if (key) known.set(name, key);
    return key;
  }

  function keysInFiles(): KnownKey[] {
    return [current, next].flatMap((path) => {
      const bytes = readKeyFileAtOnce(path);
      return bytes ? [keyOf(bytes)] : [];
    });
  }

  /** What tokens are sealed with must be in the files: another server, or the next start, knows no other key. */
  function sealingKey(): KnownKey {
    const keys = keysInFiles();
    const [newest] = keys;
    if (newest && !keys.some(({ fingerprint }) => fingerprint === sealing.fingerprint)) {
      known.set(keyName(newest.fingerprint), newest);
      sealing = newest;
    }
    return sealing;
  }

  sealing = await load();
  return {
    seal: (plain, context) =>
      sealWith(sealingKey(), plain, context, ports.random.bytes(nonceLength)),
    unseal(sealed, context) {
      const named = sealerOf(sealed);
      if (named !== undefined) {
        const key = known.get(named) ?? lookAgain(named);
        return key && unsealWith(key, sealed, context);
      }
      // From before rotation existed: one of the known keys has encrypted it.
      for (const key of known.values()) {
        const plain = unsealWith(key, sealed, context);
        if (plain) return plain;
      }
      return undefined;
    },
    derive(purpose) {
      const [key = sealing] = keysInFiles();
      return { name: keyName(key.fingerprint), key: derive(key.sealing, purpose) };
    },
    deriveFrom(name, purpose) {
      const key = lookAgain(name);
      return key && derive(key.sealing, purpose);
    },
    async reload() {
      sealing = await load();
    },
  };
}

/** Does work that stores encrypted texts; repeats it with the new key if the key was rotated meanwhile. */
export async function retryAfterKeyRotation<T>(
  key: ServiceKey,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ReplacedKeyError)) throw error;
    await key.reload();
    return work();
  }
}

export interface LoadedKeys {
  /** The key from before a rotation in progress. */
  readonly current: KnownKey;
  /** The encrypting key; the same unless a rotation is in progress. */
  readonly sealing: KnownKey;
}

/** The keys that the database names; creates the very first one, and completes the last step of a rotation. */
export async function loadServiceKeys(ports: ServiceKeyPorts): Promise<LoadedKeys> {
  const paths = serviceKeyPaths(ports.folder);
  const known = await ports.database.read(readFingerprints);
  const file =
    (await readKeyFile(paths.current)) ?? (await makeFirstKey(ports, paths.current, known));
  const keys = [file, await readKeyFile(paths.next)].flatMap((bytes) =>
    bytes ? keyOf(bytes) : [],
  );
  const fingerprint = known ?? (await firstFingerprint(ports, keyOf(file)));
  const current = keys.find((key) => key.fingerprint === fingerprint.current);
  if (!current) {
    throw new OperatorError(
      `${paths.current} is not the key that encrypts the secrets of this database. Restore the right key from a backup of the data directory.`,
    );
  }
  if (fingerprint.next === undefined) {
    // A rotation that was interrupted just before its last step.
    if (current !== keys[0]) await renameKeyFile(paths.next, paths.current);
    return { current, sealing: current };
  }
  const sealing = keys.find((key) => key.fingerprint === fingerprint.next);
  if (sealing) return { current, sealing };
  throw new OperatorError(
    `A service key rotation is in progress, but the new key is missing: restore ${paths.next} from a backup of the data directory.`,
  );
}

export function keyOf(bytes: Uint8Array): KnownKey {
  return {
    fingerprint: derive(bytes, 'fingerprint').toString('hex'),
    sealing: derive(bytes, 'sealing'),
  };
}

export function sealWith(
  key: KnownKey,
  plain: Uint8Array,
  context: string,
  nonce: Uint8Array,
): string {
  return `${keyName(key.fingerprint)}.${seal(key.sealing, plain, context, nonce)}`;
}

export function unsealWith(key: KnownKey, sealed: string, context: string): Buffer | undefined {
  const text = sealerOf(sealed) === undefined ? sealed : sealed.slice(sealed.indexOf('.') + 1);
  return unseal(key.sealing, text, context);
}

async function makeFirstKey(
  ports: ServiceKeyPorts,
  path: string,
  known: Fingerprints | undefined,
): Promise<Buffer> {
  if (known === undefined) return makeKeyFile(path, ports.random.bytes(32), ports.random.id());
  throw new OperatorError(
    `The service key ${path} is missing, but the database contains secrets encrypted with it. Restore it from a backup of the data directory.`,
  );
}

function firstFingerprint(ports: ServiceKeyPorts, key: KnownKey): Promise<Fingerprints> {
  return ports.database.write((sql) => insertFingerprint(sql, key.fingerprint, ports.clock.now()));
}

/** A key for one purpose: a fingerprint reveals nothing about the encryption key. */
function derive(key: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `hob functions ${purpose}`, 32));
}
