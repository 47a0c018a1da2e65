import { resolveUser } from '#forge/accounts/resolve-account.ts';
import type { Account } from '#forge/model/account.ts';
import {
  accessKeysOf,
  createAccessKey,
  deleteAccessKey,
} from '#functions/access-keys/administer-access-keys.ts';

import type { CommandPorts } from './administration.ts';
import type { ParsedArgs, Subcommand } from './subcommand.ts';

/** The keys that users of the forge sign their requests to the function service with. */
export const accessKeySubcommands: readonly Subcommand[] = [
  {
    name: 'create-access-key',
    positionals: ['LOGIN'],
    options: {},
    usage: '',
    description:
      'Creates an access key of a user for the function service and prints its secret once.',
    async run(ports, given) {
      const user = await userOf(ports, given);
      const serviceKey = await ports.openServiceKey();
      const pair = await createAccessKey({ ...ports, serviceKey }, user.id);
      return {
        json: { login: user.login, ...pair },
        lines: [
          `access key id      ${pair.accessKeyId}`,
          `secret access key  ${pair.secretAccessKey}`,
        ],
      };
    },
  },
  {
    name: 'list-access-keys',
    positionals: ['LOGIN'],
    options: {},
    usage: '',
    description: "Lists a user's access keys, without their secrets.",
    async run(ports, given) {
      const user = await userOf(ports, given);
      const keys = await accessKeysOf(ports, user.id);
      const all = keys.map(({ accessKeyId, createdAt }) => ({
        accessKeyId,
        createdAt: new Date(createdAt).toISOString(),
      }));
      return { json: all, lines: all.map((key) => `${key.accessKeyId}  ${key.createdAt}`) };
    },
  },
  {
    name: 'delete-access-key',
    positionals: ['ID'],
    options: {},
    usage: '',
    description: 'Deletes an access key. Requests signed with it are rejected.',
    async run(ports, given) {
      const accessKeyId = given.positional('ID');
      await deleteAccessKey(ports, accessKeyId);
      return { json: { accessKeyId }, lines: [`Deleted access key ${accessKeyId}.`] };
    },
  },
];

function userOf(ports: CommandPorts, given: ParsedArgs): Promise<Account> {
  return ports.database.read((sql) =>
    resolveUser(sql, given.positional('LOGIN'), 'AccessKey', 'login'),
  );
}
