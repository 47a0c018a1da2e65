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

/** Seals what the service must keep secret and read again. */
export interface ServiceKey {
  /** The context says what the secret is and whose; it must be the same to open it. */
  seal(plain: Uint8Array, context: string): string;
  /** Undefined: sealed by another service key, for another context, or changed since. */
  unseal(sealed: string, context: string): Buffer | undefined;
  /** Seals with the newest key from now on: somebody has changed it while this process ran. */
  reload(): Promise<void>;
}

export interface ServiceKeyPorts {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  /** The functions' own folder in the data directory. */
  readonly folder: string;
}

/** A service key in memory: what names it, and what it seals with. */
export interface KnownKey {
  readonly fingerprint: string;
  readonly sealing: Uint8Array;
}

/** The files of the key, and of the one that takes its place while it is being changed. */
export function serviceKeyPaths(folder: string): {
  readonly current: string;
  readonly next: string;
} {
  return { current: join(folder, 'service-key'), next: join(folder, 'service-key.next') };
}

/**
 * Reads the service key, or makes it at the very first start. The database knows its fingerprint: a key that is lost or
 * exchanged is told at the start, and not replaced by one that opens nothing.
 */
export async function openServiceKey(ports: ServiceKeyPorts): Promise<ServiceKey> {
  const { current, next } = serviceKeyPaths(ports.folder);
  /** By the name in what they have sealed. A replaced key goes with the process: tokens that it issued are still about. */
  const known = new Map<string, KnownKey>();
  let sealing: KnownKey;

  async function load(): Promise<KnownKey> {
    const keys = await loadServiceKeys(ports);
    for (const key of [keys.current, keys.sealing]) known.set(keyName(key.fingerprint), key);
    return keys.sealing;
  }

  /** Another process may have begun to change the key: whoever opens a text cannot wait for the database to say so. */
  function lookAgain(name: string): KnownKey | undefined {
    for (const path of [next, current]) {
      const bytes = readKeyFileAtOnce(path);
      if (!bytes) continue;
      const key = keyOf(bytes);
      if (keyName(key.fingerprint) !== name) continue;
      known.set(name, key);
      return key;
    }
    return undefined;
  }

  sealing = await load();
  return {
    seal: (plain, context) => sealWith(sealing, plain, context, ports.random.bytes(nonceLength)),
    unseal(sealed, context) {
      const named = sealerOf(sealed);
      if (named !== undefined) {
        const key = known.get(named) ?? lookAgain(named);
        return key && unsealWith(key, sealed, context);
      }
      // From before keys could be changed: one of those that are here has sealed it.
      for (const key of known.values()) {
        const plain = unsealWith(key, sealed, context);
        if (plain) return plain;
      }
      return undefined;
    },
    async reload() {
      sealing = await load();
    },
  };
}

/** Does work that stores what the key seals; all over again with the new key when that was changed meanwhile. */
export async function withCurrentKey<T>(key: ServiceKey, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ReplacedKeyError)) throw error;
    await key.reload();
    return work();
  }
}

export interface LoadedKeys {
  /** What the database knew before a change that is under way. */
  readonly current: KnownKey;
  /** What is sealed with from now on; the same unless a change is under way. */
  readonly sealing: KnownKey;
}

/** The keys that the database asks for; makes the very first one, and puts a finished change in its place. */
export async function loadServiceKeys(ports: ServiceKeyPorts): Promise<LoadedKeys> {
  const paths = serviceKeyPaths(ports.folder);
  const known = await ports.database.read(readFingerprints);
  const file =
    (await readKeyFile(paths.current)) ?? (await makeFirstKey(ports, paths.current, known));
  const keys = [file, await readKeyFile(paths.next)].flatMap((bytes) =>
    bytes ? keyOf(bytes) : [],
  );
  const asked = known ?? (await firstFingerprint(ports, keyOf(file)));
  const current = keys.find((key) => key.fingerprint === asked.current);
  if (!current) {
    throw new OperatorError(
      `${paths.current} is not the key that encrypts the secrets of this database. Restore the right key from a backup of the data directory.`,
    );
  }
  if (asked.next === undefined) {
    // A change that ended just before its last step.
    if (current !== keys[0]) await renameKeyFile(paths.next, paths.current);
    return { current, sealing: current };
  }
  const sealing = keys.find((key) => key.fingerprint === asked.next);
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

/** A key for one purpose: a fingerprint tells nothing of what seals. */
function derive(key: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `hob functions ${purpose}`, 32));
}
