import { createSign } from 'node:crypto';

import { findAccount } from '../accounts/account-store.ts';
import { createApp } from '../auth/apps/create-app.ts';
import { installApp } from '../auth/apps/install-app.ts';
import { readManifest } from '../auth/apps/manifest-input.ts';
import type { App, Installation } from '../model/app.ts';
import { clientOf, type TestClient, type TestForge } from './test-forge.ts';

/** A GitHub App with its private key. */
export interface TestApp {
  readonly app: App;
  readonly privateKey: string;
  /** Asks with a fresh JSON Web Token. */
  readonly client: TestClient;
  /** On the account of this login; in all of its repositories, or in those that are named. */
  readonly install: (login: string, names?: readonly string[]) => Promise<Installation>;
  /** A new token of an installation, and who asks with it. */
  readonly token: (
    installation: Installation,
    narrowed?: Readonly<Record<string, unknown>>,
  ) => Promise<TestClient & { readonly token: string }>;
}

export interface TestAppOptions {
  readonly name?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly hookUrl?: string;
  readonly events?: readonly string[];
  readonly public?: boolean;
}

export async function createTestApp(
  forge: TestForge,
  ownerId: number,
  options: TestAppOptions = {},
): Promise<TestApp> {
  const manifest = {
    name: options.name ?? 'Robot',
    url: 'https://app.test/',
    public: options.public ?? true,
    default_permissions: options.permissions ?? {},
    default_events: options.events ?? [],
    ...(options.hookUrl === undefined ? {} : { hook_attributes: { url: options.hookUrl } }),
  };
  const { app, privateKey } = await createApp(
    forge.ports,
    ownerId,
    readManifest(JSON.stringify(manifest)),
  );
  const client = clientWith(forge, () => `Bearer ${signJwt(forge, privateKey, { iss: app.id })}`);
  return {
    app,
    privateKey,
    client,
    install: (login, names) =>
      forge.database.write(async (sql) => {
        const account = await findAccount(sql, login);
        if (!account) throw new Error(`there is no ${login}`);
        const now = forge.clock.now();
        return installApp(sql, { app, account, names: names ?? 'all', actorId: null, now });
      }),
    async token(installation, narrowed = {}) {
      const path = `/app/installations/${installation.id}/access_tokens`;
      const response = await client.post(path, narrowed);
      if (response.status !== 201) throw new Error(response.text);
      const { token } = response.body;
      return { ...clientWith(forge, () => `token ${token}`), token };
    },
  };
}

export function clientWith(forge: TestForge, authorization: () => string): TestClient {
  return clientOf((method, path, request = {}) =>
    forge.anonymous.send(method, path, {
      ...request,
      headers: { authorization: authorization(), ...request.headers },
    }),
  );
}

/** A JSON Web Token as Octokit makes it, with other claims where they are given. */
export function signJwt(
  forge: Pick<TestForge, 'clock'>,
  privateKey: string,
  claims: Readonly<Record<string, unknown>>,
  header: Readonly<Record<string, unknown>> = { alg: 'RS256', typ: 'JWT' },
): string {
  const seconds = Math.floor(forge.clock.now() / 1000);
  const payload = { iat: seconds - 30, exp: seconds + 570, ...claims };
  const text = [header, payload]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${createSign('RSA-SHA256').update(text).sign(privateKey, 'base64url')}`;
}
