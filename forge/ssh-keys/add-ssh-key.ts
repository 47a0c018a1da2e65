import type { Sql } from '#platform/database/database.ts';
import { uniqueViolation } from '#platform/database/constraint-violation.ts';

import { invalid, notFound } from '../errors/api-error.ts';
import { emitEvent } from '../events/event-outbox-store.ts';
import type { SshKey, SshKeyOwner } from '../model/ssh-key.ts';
import type { Ports } from '../ports/ports.ts';
import { fingerprintOf, parsePublicKey, publicKeyText } from './public-key.ts';
import { deleteSshKey, findSshKey, insertSshKey, listSshKeys } from './ssh-key-store.ts';

/** SSH keys of a user, and deploy keys of a repository, of each. */
const keysMax = 100;
/** Title of an SSH key. */
const titleCharactersMax = 255;

export interface SshKeyInput {
  readonly key: string;
  readonly title?: string | undefined;
  readonly readOnly?: boolean | undefined;
}

interface Adding {
  readonly actorId: number;
  readonly now: number;
  /** Decides on access again, in the transaction. */
  readonly authorize?: (sql: Sql) => Promise<unknown>;
}

/** Adds a key to a user or a repository. A key identifies its owner, so it belongs to one only. */
export async function addSshKey(
  { database }: Pick<Ports, 'database'>,
  owner: SshKeyOwner,
  input: SshKeyInput,
  { actorId, now, authorize }: Adding,
): Promise<SshKey> {
  const parsed = parsePublicKey(input.key);
  if ('problem' in parsed) return refuseKey(parsed.problem);
  const title = input.title?.trim() || parsed.comment || 'SSH key';
  if (/\p{Cc}/u.test(title)) return refuseTitle('title must not contain control characters');
  if (Array.from(title).length > titleCharactersMax) {
    return refuseTitle(`title is too long (maximum is ${titleCharactersMax} characters)`);
  }
  const key = {
    owner,
    title,
    publicKey: publicKeyText(parsed),
    fingerprint: fingerprintOf(parsed.bytes),
    readOnly: input.readOnly ?? false,
    addedById: actorId,
    now,
  };
  return database
    .write(async (sql) => {
      await authorize?.(sql);
      const { total } = await listSshKeys(sql, owner, { offset: 0, size: 0 });
      if (total >= keysMax) return refuseKey(`at most ${keysMax} keys are possible. Delete one`);
      const id = await insertSshKey(sql, key);
      const added = (await findSshKey(sql, owner, id)) ?? notFound();
      await emitDeployKey(sql, 'created', added, { actorId, now });
      return added;
    })
    .catch((error: unknown) =>
      uniqueViolation(error) ? refuseKey('key is already in use') : Promise.reject(error),
    );
}

/** Removes a key; whether there was one. */
export async function removeSshKey(
  sql: Sql,
  owner: SshKeyOwner,
  keyId: number,
  by: Pick<Adding, 'actorId' | 'now'>,
): Promise<boolean> {
  const key = await findSshKey(sql, owner, keyId);
  if (!key || !(await deleteSshKey(sql, owner, keyId))) return false;
  await emitDeployKey(sql, 'deleted', key, by);
  return true;
}

async function emitDeployKey(
  sql: Sql,
  action: 'created' | 'deleted',
  key: SshKey,
  { actorId, now }: Pick<Adding, 'actorId' | 'now'>,
): Promise<void> {
  if (!('repositoryId' in key.owner)) return;
  const event = { event: 'deploy_key', action, key, actorId } as const;
  await emitEvent(sql, key.owner.repositoryId, event, now);
}

function refuseKey(message: string): never {
  return invalid({ resource: 'PublicKey', code: 'custom', field: 'key', message });
}

function refuseTitle(message: string): never {
  return invalid({ resource: 'PublicKey', code: 'custom', field: 'title', message });
}
