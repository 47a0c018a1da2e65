import { timestamp } from '../../json/json-values.ts';
import { nodeId } from '../../json/node-id.ts';
import type { SshKey } from '../../model/ssh-key.ts';
import type { Arguments } from '../engine/arguments.ts';
import { connectList, type Connection } from '../engine/connection.ts';
import { always, type Fields, type GraphqlContext, type Resolvers } from './context.ts';
import type { AccountSource } from './sources.ts';

/** Keys of a user are public, as in REST. */
export function publicKeysOf(
  { account }: AccountSource,
  values: Arguments,
  { loaders }: GraphqlContext,
): Connection<SshKey> {
  return connectList(
    'publicKeys',
    values,
    () => loaders.publicKeys(account.id),
    ({ id }) => id,
  );
}

const keyFields: Fields<SshKey> = {
  id: ({ id }) => nodeId('PublicKey', id),
  key: ({ publicKey }) => publicKey,
  fingerprint: ({ fingerprint }) => `SHA256:${fingerprint}`,
  isReadOnly: always(false),
  createdAt: ({ createdAt }) => timestamp(createdAt),
  // When others sign in is not for everybody.
  accessedAt: ({ owner, lastUsedAt }, _values, { request: { caller } }) =>
    'accountId' in owner && owner.accountId === caller.account.id ? timestamp(lastUsedAt) : null,
};

export const keyResolvers: Resolvers = { PublicKey: keyFields };
