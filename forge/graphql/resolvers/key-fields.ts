import { timestamp } from '../../json/json-values.ts';
import { nodeId } from '../../json/node-id.ts';
import { listSshKeys, type SshKey } from '../../ssh-keys/ssh-key-store.ts';
import type { Arguments } from '../engine/arguments.ts';
import { connectList, type Connection } from '../engine/connection.ts';
import { always, type Fields, type GraphqlContext, type Resolvers } from './context.ts';
import type { AccountSource } from './sources.ts';

/** More than a user has. */
const listed = { offset: 0, size: 1000 };

/** Keys of a user are public, as in REST. */
export function publicKeysOf(
  { account }: AccountSource,
  values: Arguments,
  { ports: { database } }: GraphqlContext,
): Connection<SshKey> {
  const list = async (): Promise<readonly SshKey[]> => {
    const owner = { accountId: account.id };
    return (await database.read((sql) => listSshKeys(sql, owner, listed))).keys;
  };
  return connectList('publicKeys', values, list, ({ id }) => id);
}

const keyFields: Fields<SshKey> = {
  id: ({ id }) => nodeId('PublicKey', id),
  key: ({ publicKey }) => publicKey,
  fingerprint: ({ fingerprint }) => `SHA256:${fingerprint}`,
  isReadOnly: always(false),
  createdAt: ({ createdAt }) => timestamp(createdAt),
  accessedAt: ({ lastUsedAt }) => timestamp(lastUsedAt),
};

export const keyResolvers: Resolvers = { PublicKey: keyFields };
