import { createApplication } from '#forge/auth/create-application.ts';
import { disableTwoFactor, enableTwoFactor } from '#forge/auth/two-factor.ts';
import { createToken } from '#forge/auth/create-token.ts';
import { listUsers } from '#forge/accounts/account-store.ts';
import type { Account } from '#forge/model/account.ts';
import { addMember } from '#forge/accounts/membership.ts';
import { createOrganization } from '#forge/accounts/create-organization.ts';
import { createUser } from '#forge/accounts/create-user.ts';
import { setPassword } from '#forge/accounts/set-password.ts';
import { suspendUser, unsuspendUser } from '#forge/site/suspend-user.ts';
import { OperatorError } from '#platform/operator-error.ts';

import { accessKeySubcommands } from './access-key-subcommands.ts';
import { appSubcommands } from './app-subcommands.ts';
import { emailSubcommands } from './email-subcommands.ts';
import { keySubcommands } from './key-subcommands.ts';
import { moveSubcommands } from './move-subcommands.ts';
import { nodeSubcommands } from './node-subcommands.ts';
import { resourceSubcommands } from './resource-subcommands.ts';
import { shardSubcommands } from './shard-subcommands.ts';
import type { ParsedArgs, Subcommand } from './subcommand.ts';

const passwordOptions = {
  password: { type: 'string' },
  'password-stdin': { type: 'boolean' },
} as const;

export const subcommands: readonly Subcommand[] = [
  {
    name: 'create-user',
    positionals: ['LOGIN'],
    options: {
      ...passwordOptions,
      email: { type: 'string' },
      name: { type: 'string' },
      'site-admin': { type: 'boolean' },
    },
    usage: '[--password-stdin | --password P] [--email E] [--name N] [--site-admin]',
    description: 'Creates a user. Without a password, the user signs in with tokens only.',
    async run(ports, given) {
      const account = await createUser(ports, {
        login: given.positional('LOGIN'),
        password: await passwordOf(given),
        email: given.option('email'),
        name: given.option('name'),
        siteAdmin: given.flag('site-admin'),
      });
      return { json: shown(account), lines: [`Created user ${account.login}.`] };
    },
  },
  {
    name: 'create-organization',
    positionals: ['LOGIN'],
    options: { owner: { type: 'string' }, name: { type: 'string' } },
    usage: '--owner LOGIN [--name N]',
    description: 'Creates an organization with a user as its owner.',
    async run(ports, given) {
      const ownerLogin = given.option('owner');
      if (ownerLogin === undefined) throw new OperatorError('--owner LOGIN is missing.');
      const account = await createOrganization(ports, {
        login: given.positional('LOGIN'),
        ownerLogin,
        name: given.option('name'),
      });
      return {
        json: shown(account),
        lines: [`Created organization ${account.login}, owned by ${ownerLogin}.`],
      };
    },
  },
  {
    name: 'add-member',
    positionals: ['ORG', 'LOGIN'],
    options: { role: { type: 'string' } },
    usage: '[--role admin|member]',
    description: 'Adds a user to an organization, or updates the role of a member.',
    async run(ports, given) {
      const role = given.option('role') ?? 'member';
      if (role !== 'admin' && role !== 'member') {
        throw new OperatorError(`--role must be admin or member, not "${role}".`);
      }
      const organization = given.positional('ORG');
      const login = given.positional('LOGIN');
      await addMember(ports, { organization, login, role });
      return {
        json: { organization, login, role },
        lines: [`${login} is ${role === 'admin' ? 'an admin' : 'a member'} of ${organization}.`],
      };
    },
  },
  {
    name: 'create-token',
    positionals: ['LOGIN'],
    options: {
      scopes: { type: 'string' },
      note: { type: 'string' },
      'expires-in-days': { type: 'string' },
    },
    usage: '--scopes repo,… [--note N] [--expires-in-days N]',
    description: 'Creates a token and prints it once.',
    async run(ports, given) {
      const args = given.option('scopes');
      if (args === undefined)
        throw new OperatorError('--scopes is missing: pass a list of scopes, or "" for none.');
      const created = await createToken(ports, {
        login: given.positional('LOGIN'),
        scopes: args.split(',').flatMap((argument) => argument.trim() || []),
        note: given.option('note'),
        expiresAt: expiryIn(given.option('expires-in-days'), ports.clock.now()),
      });
      const { createdAt, expiresAt } = created;
      return {
        json: {
          ...created,
          createdAt: new Date(createdAt).toISOString(),
          expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
        },
        lines: [created.token],
      };
    },
  },
  {
    name: 'enable-two-factor',
    positionals: ['LOGIN'],
    options: {},
    usage: '',
    description:
      'Enables two-factor authentication for a user and prints its secret and recovery codes once.',
    async run(ports, given) {
      const created = await enableTwoFactor(ports, given.positional('LOGIN'));
      return {
        json: created,
        lines: [
          `secret          ${created.secret}`,
          `for scanning    ${created.url}`,
          ...created.recoveryCodes.map((code) => `recovery code   ${code}`),
        ],
      };
    },
  },
  {
    name: 'disable-two-factor',
    positionals: ['LOGIN'],
    options: {},
    usage: '',
    description: 'Disables two-factor authentication for a user.',
    async run(ports, given) {
      const login = given.positional('LOGIN');
      await disableTwoFactor(ports, login);
      return {
        json: { login },
        lines: [`Disabled two-factor authentication for ${login}.`],
      };
    },
  },
  {
    name: 'set-password',
    positionals: ['LOGIN'],
    options: passwordOptions,
    usage: '--password-stdin | --password P',
    description:
      'Replaces the password of a user, which ends the user’s sessions. Other users of the host can see arguments, but not standard input.',
    async run(ports, given) {
      const login = given.positional('LOGIN');
      const password = await passwordOf(given);
      if (password === undefined) {
        throw new OperatorError(
          '--password-stdin is missing: write the password to standard input.',
        );
      }
      await setPassword(ports, login, password);
      return { json: { login }, lines: [`Set the password of ${login}.`] };
    },
  },
  {
    name: 'suspend-user',
    positionals: ['LOGIN'],
    options: {},
    usage: '',
    description: 'Suspends a user, whose password, tokens and keys are then refused.',
    async run(ports, given) {
      const login = given.positional('LOGIN');
      await suspendUser(ports, login);
      return { json: { login }, lines: [`Suspended ${login}.`] };
    },
  },
  {
    name: 'unsuspend-user',
    positionals: ['LOGIN'],
    options: {},
    usage: '',
    description: 'Ends the suspension of a user.',
    async run(ports, given) {
      const login = given.positional('LOGIN');
      await unsuspendUser(ports, login);
      return { json: { login }, lines: [`Unsuspended ${login}.`] };
    },
  },
  {
    name: 'create-application',
    positionals: ['NAME'],
    options: { 'callback-url': { type: 'string' } },
    usage: '[--callback-url URL]',
    description:
      'Creates an OAuth application and prints its secret once. With a callback URL, it can ask users to authorize it.',
    async run(ports, given) {
      const name = given.positional('NAME');
      const callbackUrl = given.option('callback-url');
      const created = await createApplication(ports, { name, callbackUrl });
      return {
        json: { name, callbackUrl: callbackUrl ?? null, ...created },
        lines: [`client id      ${created.clientId}`, `client secret  ${created.clientSecret}`],
      };
    },
  },
  {
    name: 'list-users',
    positionals: [],
    options: {},
    usage: '',
    description: 'Lists all users.',
    async run(ports) {
      const users = await ports.database.read(listUsers);
      const width = Math.max(0, ...users.map((user) => user.login.length));
      return {
        json: users.map(shown),
        lines: users.map((user) =>
          [
            user.login.padEnd(width),
            user.email ?? '-',
            user.siteAdmin ? 'site admin' : user.suspendedAt === null ? '' : 'suspended',
          ]
            .join('  ')
            .trimEnd(),
        ),
      };
    },
  },
  ...emailSubcommands,
  ...appSubcommands,
  ...accessKeySubcommands,
  ...keySubcommands,
  ...resourceSubcommands,
  ...nodeSubcommands,
  ...shardSubcommands,
  ...moveSubcommands,
];

/** Undefined: none was given. */
async function passwordOf(given: ParsedArgs): Promise<string | undefined> {
  const password = given.option('password');
  if (!given.flag('password-stdin')) return password;
  if (password !== undefined) throw new OperatorError('Pass --password or --password-stdin.');
  return given.line();
}

function shown(account: Account): Record<string, unknown> {
  const { id, login, kind, name, email, siteAdmin, createdAt, suspendedAt } = account;
  return {
    id,
    login,
    kind,
    name,
    email,
    siteAdmin,
    suspendedAt: suspendedAt === null ? null : new Date(suspendedAt).toISOString(),
    createdAt: new Date(createdAt).toISOString(),
  };
}

/** undefined: never. */
function expiryIn(days: string | undefined, now: number): number | undefined {
  if (days === undefined) return undefined;
  if (!/^[1-9]\d{0,3}$/.test(days)) {
    throw new OperatorError('--expires-in-days is a number of days from 1 to 9999.');
  }
  return now + Number(days) * 86_400_000;
}
