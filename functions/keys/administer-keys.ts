import type { Sql } from '#platform/database/database.ts';
import { OperatorError } from '#platform/operator-error.ts';

import { type Key, keyArn, keyIdOf } from './key.ts';
import type { KeyRingPorts } from './key-ring.ts';
import {
  deleteGoneKeys,
  disable,
  enable,
  findKey,
  insertKey,
  listKeys,
  materialContext,
  setKeyDeletion,
  type StoredKey,
} from './key-store.ts';

/** What changing a key needs: no service key, so that a key can be disabled even when that one is lost. */
export type KeyChangePorts = Pick<KeyRingPorts, 'clock' | 'database' | 'accountRegion'>;

/** Time in which the deletion of a key can be cancelled. */
export const deletionWaitDays = 7;

/** Description of a key. */
const descriptionCharactersMax = 255;

/** Creates an enabled key. */
export async function createKey(ports: KeyRingPorts, description: string): Promise<Key> {
  if (description.length > descriptionCharactersMax) {
    throw new OperatorError(
      `The description is longer than ${descriptionCharactersMax} characters.`,
    );
  }
  const id = ports.random.id();
  const key: StoredKey = {
    id,
    description,
    sealedMaterial: ports.serviceKey.seal(ports.random.bytes(32), materialContext(id)),
    enabled: true,
    createdAt: ports.clock.now(),
    deletionAt: undefined,
  };
  await ports.database.write((sql) => insertKey(sql, key));
  return key;
}

/** Enables a key, and cancels its deletion. */
export function enableKey(ports: KeyChangePorts, name: string): Promise<Key> {
  return change(ports, name, (sql, key) => enable(sql, key.id));
}

/** Until it is enabled again, nothing encrypted with the key can be read. */
export function disableKey(ports: KeyChangePorts, name: string): Promise<Key> {
  return change(ports, name, (sql, key) => disable(sql, key.id));
}

/**
 * Disables a key immediately and destroys it after some days, or now. Everything encrypted with it is lost then, so the waiting period
 * lets operators find out what still needed it.
 */
export async function deleteKey(
  ports: KeyChangePorts,
  name: string,
  when: 'now' | 'after the wait',
): Promise<Key> {
  const now = ports.clock.now();
  const wait = when === 'now' ? 0 : deletionWaitDays * 24 * 60 * 60_000;
  const key = await change(ports, name, (sql, found) => setKeyDeletion(sql, found.id, now + wait));
  await forgetGoneKeys(ports);
  return key;
}

/** Oldest first. */
export async function keysOf(ports: KeyChangePorts): Promise<readonly Key[]> {
  return ports.database.read((sql) => listKeys(sql, ports.clock.now()));
}

/** Destroys the keys whose waiting period is over. They could not be used anyway; called at every start. */
export async function forgetGoneKeys(
  ports: Pick<KeyChangePorts, 'clock' | 'database'>,
): Promise<void> {
  await ports.database.write((sql) => deleteGoneKeys(sql, ports.clock.now()));
}

/** Changes the key that an ARN or a bare id names, and returns it. */
async function change(
  ports: KeyChangePorts,
  name: string,
  work: (sql: Sql, key: StoredKey) => Promise<void>,
): Promise<Key> {
  const id = keyIdOf(ports.accountRegion, name) ?? name;
  const now = ports.clock.now();
  return ports.database.write(async (sql) => {
    const key = await findKey(sql, id, now);
    if (!key) {
      throw new OperatorError(
        `Key ${name} not found. Use the ARN or id of a key, like ${keyArn(ports.accountRegion, '…')}. To list the keys, run hob admin list-keys.`,
      );
    }
    await work(sql, key);
    return (await findKey(sql, id, now)) ?? key;
  });
}
