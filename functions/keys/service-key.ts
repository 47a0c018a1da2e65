import { hkdfSync } from 'node:crypto';
import { join } from 'node:path';

import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/database.ts';
import { OperatorError } from '#platform/operator-error.ts';
import type { Random } from '#platform/random.ts';

import { insertFingerprint, readFingerprint } from './key-store.ts';
import { nonceLength, seal, unseal } from './seal.ts';
import { makeKeyFile, readKeyFile } from './service-key-file.ts';

/** Seals what the service must keep secret and read again. */
export interface ServiceKey {
  /** The context says what the secret is and whose; it must be the same to open it. */
  seal(plain: Uint8Array, context: string): string;
  /** Undefined: sealed by another service key, for another context, or changed since. */
  unseal(sealed: string, context: string): Buffer | undefined;
}

export interface ServiceKeyPorts {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  /** The functions' own folder in the data directory. */
  readonly folder: string;
}

/**
 * Reads the service key, or makes it at the very first start. The database knows its fingerprint: a key that is lost or
 * exchanged is told at the start, and not replaced by one that opens nothing.
 */
export async function openServiceKey(ports: ServiceKeyPorts): Promise<ServiceKey> {
  const path = join(ports.folder, 'service-key');
  const known = await ports.database.read(readFingerprint);
  const key = (await readKeyFile(path)) ?? (await makeKey(ports, path, known));
  const fingerprint = derive(key, 'fingerprint').toString('hex');
  const kept =
    known ??
    (await ports.database.write((sql) => insertFingerprint(sql, fingerprint, ports.clock.now())));
  if (kept !== fingerprint) {
    throw new OperatorError(
      `${path} is not the key that this database's secrets are sealed with. Put the right one back from a backup of the data directory.`,
    );
  }
  const sealing = derive(key, 'sealing');
  return {
    seal: (plain, context) => seal(sealing, plain, context, ports.random.bytes(nonceLength)),
    unseal: (sealed, context) => unseal(sealing, sealed, context),
  };
}

async function makeKey(
  ports: ServiceKeyPorts,
  path: string,
  known: string | undefined,
): Promise<Buffer> {
  if (known !== undefined) {
    throw new OperatorError(
      `The service key ${path} is missing, but the database holds secrets sealed with it. Put it back from a backup of the data directory.`,
    );
  }
  return makeKeyFile(path, ports.random.bytes(32), ports.random.id());
}

/** A key for one purpose: a fingerprint tells nothing of what seals. */
function derive(key: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `hob functions ${purpose}`, 32));
}
