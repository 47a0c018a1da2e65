import { findAccount } from '#forge/accounts/account-store.ts';
import { resolveUser } from '#forge/accounts/resolve-account.ts';
import { appBySlug } from '#forge/auth/apps/app-store.ts';
import { createApp, replaceKey } from '#forge/auth/apps/create-app.ts';
import { installApp } from '#forge/auth/apps/install-app.ts';
import { readManifest } from '#forge/auth/apps/manifest-input.ts';
import type { Account } from '#forge/model/account.ts';
import type { App } from '#forge/model/app.ts';
import type { Sql } from '#platform/database/database.ts';
import { OperatorError } from '#platform/operator-error.ts';

import type { ParsedArgs, Subcommand } from './subcommand.ts';

/** GitHub Apps and their installations. */
export const appSubcommands: readonly Subcommand[] = [
  {
    name: 'create-app',
    positionals: ['NAME'],
    options: {
      owner: { type: 'string' },
      url: { type: 'string' },
      'webhook-url': { type: 'string' },
      permissions: { type: 'string' },
      events: { type: 'string' },
      public: { type: 'boolean' },
    },
    usage:
      '--owner LOGIN [--url U] [--webhook-url U] [--permissions contents=read,…] [--events push,…] [--public]',
    description:
      'Creates a GitHub App and prints its secrets and its private key once. Unless it is public, only its owner can install it.',
    async run(ports, given) {
      const owner = given.option('owner');
      if (owner === undefined) throw new OperatorError('--owner LOGIN is missing.');
      const manifest = readManifest(JSON.stringify(manifestOf(given)));
      const { id: ownerId } = await ports.database.read((sql) => getAccount(sql, owner, 'owner'));
      const { app, clientSecret, privateKey } = await createApp(ports, ownerId, manifest);
      return {
        json: {
          id: app.id,
          slug: app.slug,
          clientId: app.clientId,
          clientSecret,
          webhookSecret: app.hook.secret,
          privateKey,
        },
        lines: [
          `app id          ${app.id}`,
          `slug            ${app.slug}`,
          `client id       ${app.clientId}`,
          `client secret   ${clientSecret}`,
          ...(app.hook.secret === null ? [] : [`webhook secret  ${app.hook.secret}`]),
          privateKey.trimEnd(),
        ],
      };
    },
  },
  {
    name: 'install-app',
    positionals: ['SLUG', 'LOGIN'],
    options: { repositories: { type: 'string' } },
    usage: '[--repositories NAME,…]',
    description:
      'Installs a GitHub App on the account of a user or an organization: in all of its repositories, or in some. An existing installation is replaced.',
    async run(ports, given) {
      const login = given.positional('LOGIN');
      const names = given.option('repositories');
      const installation = await ports.database.write(async (sql) => {
        const app = await getApp(sql, given);
        const account = await getAccount(sql, login, 'account');
        return installApp(sql, {
          app,
          account,
          names: names === undefined ? 'all' : listOf(names),
          actorId: null,
          now: ports.clock.now(),
        });
      });
      const { id, appSlug, repositorySelection } = installation;
      return {
        json: { id, appId: installation.appId, appSlug, account: login, repositorySelection },
        lines: [`Installed ${appSlug} on ${login}: installation ${id}.`],
      };
    },
  },
  {
    name: 'replace-app-key',
    positionals: ['SLUG'],
    options: {},
    usage: '',
    description:
      'Replaces the private key of a GitHub App and prints the new one once. The old key is rejected at once.',
    async run(ports, given) {
      const app = await ports.database.read((sql) => getApp(sql, given));
      const privateKey = await replaceKey(ports, app.id);
      return { json: { id: app.id, slug: app.slug, privateKey }, lines: [privateKey.trimEnd()] };
    },
  },
];

function manifestOf(given: ParsedArgs): Record<string, unknown> {
  const hookUrl = given.option('webhook-url');
  return {
    name: given.positional('NAME'),
    url: given.option('url') ?? 'https://example.com/',
    public: given.flag('public'),
    ...(hookUrl === undefined ? {} : { hook_attributes: { url: hookUrl } }),
    default_permissions: Object.fromEntries(
      listOf(given.option('permissions') ?? '').map((entry) => {
        const [name = '', level = 'read'] = entry.split('=');
        return [name, level];
      }),
    ),
    default_events: listOf(given.option('events') ?? ''),
  };
}

async function getApp(sql: Sql, given: ParsedArgs): Promise<App> {
  const slug = given.positional('SLUG');
  const app = await appBySlug(sql, slug.toLowerCase());
  if (!app) throw new OperatorError(`There is no GitHub App with the slug ${slug}.`);
  return app;
}

/** A user or an organization. */
async function getAccount(sql: Sql, login: string, field: string): Promise<Account> {
  const account = await findAccount(sql, login);
  return account?.kind === 'organization' ? account : resolveUser(sql, login, 'Integration', field);
}

function listOf(text: string): string[] {
  return text.split(',').flatMap((word) => word.trim() || []);
}
