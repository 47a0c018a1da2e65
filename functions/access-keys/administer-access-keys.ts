import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/database/database.ts';
import { OperatorError } from '#platform/operator-error.ts';
import type { Random } from '#platform/random.ts';

import type { ServiceKey } from '../keys/service-key.ts';
import { lastingPrefix, makeAccessKeyId, makeSecretAccessKey } from './access-key.ts';
import {
  accessKeyContext,
  eraseAccessKey,
  findAdministrator,
  insertAccessKey,
  listAccessKeys,
  listAllAccessKeys,
  type ListedAccessKey,
} from './access-key-store.ts';

export interface AccessKeyPorts {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly serviceKey: ServiceKey;
}

/** An access key as its owner gets it, once. */
export interface AccessKeyPair {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Makes an access key for a user of the forge. */
export async function createAccessKey(
  ports: AccessKeyPorts,
  userId: number,
): Promise<AccessKeyPair> {
  const pair: AccessKeyPair = {
    accessKeyId: makeAccessKeyId(ports.random, lastingPrefix),
    secretAccessKey: makeSecretAccessKey(ports.random),
  };
  const inserted = await ports.database.write((sql) =>
    insertAccessKey(sql, row(ports, pair, userId)),
  );
  if (!inserted) throw new Error('An access key id of 80 random bits was drawn twice.');
  return pair;
}

/** A user's keys, without their secrets. */
export async function accessKeysOf(
  ports: Pick<AccessKeyPorts, 'database'>,
  userId: number,
): Promise<readonly ListedAccessKey[]> {
  return ports.database.read((sql) => listAccessKeys(sql, userId));
}

/** The keys of all users, without their secrets. */
export async function allAccessKeys(
  ports: Pick<AccessKeyPorts, 'database'>,
  bounds: { readonly offset: number; readonly size: number },
): Promise<readonly ListedAccessKey[]> {
  return ports.database.read((sql) => listAllAccessKeys(sql, bounds));
}

/** From then on, requests signed with the key are refused. */
export async function deleteAccessKey(
  ports: Pick<AccessKeyPorts, 'database'>,
  accessKeyId: string,
): Promise<void> {
  const erased = await ports.database.write((sql) => eraseAccessKey(sql, accessKeyId));
  if (erased) return;
  throw new OperatorError(
    `Access key ${accessKeyId} not found. To list the keys of a user, run hob admin list-access-keys LOGIN.`,
  );
}

/**
 * Gives the site administrator the key that the operator chose, unless it exists or was deleted: a deleted key does not return at the
 * next start because its variables are still set.
 */
export async function keepChosenAccessKey(
  ports: AccessKeyPorts,
  pair: AccessKeyPair,
): Promise<'made' | 'known'> {
  return ports.database.write(async (sql) => {
    const administrator = await findAdministrator(sql);
    if (administrator === undefined) {
      throw new OperatorError(
        'HOB_ACCESS_KEY_ID requires a site administrator. Create one: hob admin create-user LOGIN --site-admin',
      );
    }
    return (await insertAccessKey(sql, row(ports, pair, administrator))) ? 'made' : 'known';
  });
}

function row(
  ports: AccessKeyPorts,
  { accessKeyId, secretAccessKey }: AccessKeyPair,
  userId: number,
): Parameters<typeof insertAccessKey>[1] {
  const sealedSecret = ports.serviceKey.seal(
    Buffer.from(secretAccessKey),
    accessKeyContext(accessKeyId),
  );
  return { accessKeyId, userId, sealedSecret, now: ports.clock.now() };
}
