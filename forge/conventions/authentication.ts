import { timingSafeEqual } from 'node:crypto';

import type { Sql } from '#platform/database.ts';

import { findApplication, findTokenOwner } from '../access/credential-store.ts';
import type { Caller } from '../access/caller.ts';
import { scopeList } from '../access/scopes.ts';
import { sha256 } from '../access/token.ts';
import type { VerifiedPasswords } from '../access/verified-passwords.ts';
import { findAccount } from '../accounts/account-store.ts';
import type { Ports } from '../ports.ts';

/** What an `Authorization` header says. */
type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'basic'; readonly login: string; readonly password: string }
  | { readonly kind: 'unreadable' };

export interface Identity {
  readonly caller: Caller;
  readonly bad: boolean;
  readonly tokenScopes: string | undefined;
}

const nobody: Identity = { caller: { kind: 'anonymous' }, bad: false, tokenScopes: undefined };
const impostor: Identity = { ...nobody, bad: true };

/**
 * Finds out who asks (spec, Authentication 1 to 3; truth 1.8): `token` and `Bearer` headers, Basic with a token in
 * either place, with a password, or with an application's id and secret. Never refuses: a bad attempt is counted first.
 */
export async function identify(
  header: string | undefined,
  ports: Ports,
  verified: VerifiedPasswords,
): Promise<Identity> {
  const credentials = parseAuthorization(header);
  switch (credentials.kind) {
    case 'none':
      return nobody;
    case 'unreadable':
      return impostor;
    case 'token':
      return (await ports.database.read((sql) => byToken(sql, credentials.token))) ?? impostor;
    case 'basic':
      return (await byBasic(credentials.login, credentials.password, ports, verified)) ?? impostor;
  }
}

export function parseAuthorization(header: string | undefined): Credentials {
  if (header === undefined) return { kind: 'none' };
  const match = /^(\S+)(?:\s+(.*))?$/.exec(header.trim());
  const scheme = match?.[1]?.toLowerCase();
  const rest = match?.[2]?.trim() ?? '';
  if (scheme === 'token' || scheme === 'bearer') return { kind: 'token', token: rest };
  if (scheme !== 'basic') return { kind: 'unreadable' };
  const decoded = Buffer.from(rest, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon === -1) return { kind: 'unreadable' };
  const login = decoded.slice(0, colon);
  const password = decoded.slice(colon + 1);
  if (password === '' || password === 'x-oauth-basic') return { kind: 'token', token: login };
  return { kind: 'basic', login, password };
}

async function byToken(sql: Sql, token: string): Promise<Identity | undefined> {
  const owner = await findTokenOwner(sql, sha256(token));
  return (
    owner && {
      caller: { kind: 'user', account: owner.account, scopes: new Set(owner.scopes) },
      bad: false,
      tokenScopes: scopeList(owner.scopes),
    }
  );
}

async function byBasic(
  login: string,
  password: string,
  ports: Ports,
  verified: VerifiedPasswords,
): Promise<Identity | undefined> {
  const byItself = await ports.database.read(async (sql) => {
    return (await byToken(sql, password)) ?? (await byApplication(sql, login, password));
  });
  if (byItself) return byItself;
  const account = await ports.database.read((sql) => findAccount(sql, login));
  const right = await verified.verify(account?.id, password);
  if (!right || account?.kind !== 'user') return undefined;
  return {
    caller: { kind: 'user', account, scopes: 'password' },
    bad: false,
    tokenScopes: undefined,
  };
}

async function byApplication(
  sql: Sql,
  clientId: string,
  secret: string,
): Promise<Identity | undefined> {
  const application = await findApplication(sql, clientId);
  if (!application) return undefined;
  const given = Buffer.from(sha256(secret));
  if (!timingSafeEqual(given, Buffer.from(application.secretSha256))) return undefined;
  return {
    caller: { kind: 'application', applicationId: application.id },
    bad: false,
    tokenScopes: undefined,
  };
}
