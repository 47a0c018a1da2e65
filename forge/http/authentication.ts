import { timingSafeEqual } from 'node:crypto';

import type { FastifyRequest } from 'fastify';

import { hostTime } from '#platform/clock.ts';
import type { Sql } from '#platform/database/database.ts';
import { ReadCache } from '#platform/database/read-cache.ts';
import { functionCallerOf } from '#platform/function-caller.ts';

import { isSuspended, passwordHash } from '../accounts/account-store.ts';
import { looksLikeJwt, verifyAppJwt } from '../auth/apps/app-jwt.ts';
import { appById } from '../auth/apps/app-store.ts';
import { findInstallationGrant } from '../auth/apps/installation-store.ts';
import { isInstallationToken, readInstallationToken } from '../auth/apps/installation-token.ts';
import { findApplication, findTokenOwner, type TokenOwner } from '../auth/credential-store.ts';
import type { TokenUses } from '../auth/token-use.ts';
import type { InstallationToken } from '../model/app.ts';
import { type Caller, type InstallationCaller, isInstallation } from '../model/caller.ts';
import type { PasswordAttempt, PasswordSignIn } from '../auth/password-sign-in.ts';
import { scopeList } from '../model/scopes.ts';
import { looksLikeToken, sha256 } from '../auth/token.ts';
import type { Ports, ForgeSettings } from '../ports/ports.ts';
import { vendor } from '../json/vendor.ts';
import type { Refusal } from '../errors/api-error.ts';

/** The parsed `Authorization` header. */
type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'basic'; readonly login: string; readonly password: string }
  | { readonly kind: 'unreadable' };

export interface Authentication {
  readonly caller: Caller;
  /** Why the credentials were refused; undefined if they were valid or absent. */
  readonly refusal: CredentialRefusal | undefined;
  readonly tokenScopes: string | undefined;
  readonly tokenSha256: string | undefined;
  /** The stored hash, if the request was authenticated with a password. */
  readonly passwordHash: string | undefined;
  /** The client id of the application that got the token. */
  readonly tokenClientId: string | undefined;
  /** When the token expires; undefined: never, or there is none. */
  readonly tokenExpiresAt: number | undefined;
  readonly tokenId: number | undefined;
}

export type CredentialRefusal = Extract<
  Refusal,
  {
    kind:
      | 'bad-credentials'
      | 'too-many-logins'
      | 'suspended'
      | 'code-required'
      | 'invalid-jwt'
      | 'not-found';
  }
>;

/** The parts of a request that authenticate its caller. */
export type CredentialBearer = Pick<FastifyRequest, 'headers' | 'ip' | 'raw'>;

const anonymous: Authentication = {
  caller: { kind: 'anonymous' },
  refusal: undefined,
  tokenScopes: undefined,
  tokenSha256: undefined,
  passwordHash: undefined,
  tokenClientId: undefined,
  tokenExpiresAt: undefined,
  tokenId: undefined,
};
const suspended: Authentication = { ...anonymous, refusal: { kind: 'suspended' } };
const invalidCredentials: Authentication = { ...anonymous, refusal: { kind: 'bad-credentials' } };

/** Tokens cached until the next commit to the database, on SQLite, of some thousand bytes each. */
const tokensMax = 5000;

/** Authenticates the caller of a request; never refuses, because the rate limit counts bad attempts first. */
export type Authenticate = (request: CredentialBearer) => Promise<Authentication>;

/** Authenticates callers by tokens that are cached until the next commit, so that a deleted one is invalid immediately. */
export function createAuthenticate(
  ports: Ports,
  passwords: PasswordSignIn,
  uses: TokenUses,
): Authenticate {
  const tokens = new ReadCache<KnownToken>(ports.database, tokensMax);
  return (request) => authenticate(request, { ...ports, tokens, uses }, passwords);
}

/**
 * Authenticates the caller (docs/specification/forge.md 3.1 to 3.3): `token` and `Bearer` headers, also with the JSON Web Token of a GitHub App or a
 * token of its installation, Basic with a token as user name or password, with a password, or with an application's id
 * and secret. Functions sign in with anything but a password.
 */
async function authenticate(
  request: CredentialBearer,
  ports: CachePorts,
  passwords: PasswordSignIn,
): Promise<Authentication> {
  const credentials = parseAuthorization(request.headers.authorization);
  switch (credentials.kind) {
    case 'none':
      return anonymous;
    case 'unreadable':
      return invalidCredentials;
    case 'token':
      return (await byBearer(ports, credentials.token)) ?? invalidCredentials;
    case 'basic': {
      if (isInstallationToken(credentials.password)) {
        return (await byInstallationToken(ports, credentials.password)) ?? invalidCredentials;
      }
      const byItself = await bySecret(ports, credentials);
      if (byItself) return byItself;
      // A function that tries passwords must not lock out the owner of the account, nor a job with an expired token the others behind its address.
      if (functionCallerOf(request.raw) || looksLikeToken(credentials.password)) {
        return invalidCredentials;
      }
      const code = codeOf(request, ports.settings);
      return byPassword({ ...credentials, code, address: request.ip }, passwords);
    }
  }
}

/**
 * Authenticates the caller again; undefined if the credentials are no longer valid. For decisions after the body of a request
 * has arrived, which may be hours after its head.
 */
export async function confirmCaller(
  sql: Sql,
  authentication: Pick<Authentication, 'caller' | 'tokenSha256' | 'passwordHash'>,
  now: number,
): Promise<Caller | undefined> {
  const { caller, tokenSha256 } = authentication;
  if (caller.kind === 'app') {
    const app = caller.expiresAt > now ? await appById(sql, caller.app.id) : undefined;
    if (app?.owner.suspendedAt !== null) return undefined;
    return app.publicKey === caller.app.publicKey ? { ...caller, app } : undefined;
  }
  if (caller.kind !== 'user') return caller;
  if (isInstallation(caller)) return installationCaller(sql, caller.installation.token, now);
  if (tokenSha256 !== undefined) {
    const owner = await findTokenOwner(sql, tokenSha256, now);
    if (!owner || owner.account.suspendedAt !== null) return undefined;
    return { kind: 'user', account: owner.account, scopes: new Set(owner.scopes) };
  }
  if (await isSuspended(sql, caller.account.id)) return undefined;
  const stored = await passwordHash(sql, caller.account.id);
  return stored !== undefined && stored === authentication.passwordHash ? caller : undefined;
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

/** The header `X-<Vendor>-OTP`, for example `X-GitHub-OTP`. */
function codeOf(request: CredentialBearer, settings: ForgeSettings): string | undefined {
  const value = request.headers[`${vendor(settings.vendor).headerPrefix.toLowerCase()}otp`];
  return typeof value === 'string' ? value : undefined;
}

type TokenPorts = Pick<Ports, 'clock' | 'database' | 'sealing'>;

/** The authentication is one object until the next commit, because decisions about access are cached for its caller. */
interface KnownToken {
  readonly owner: TokenOwner;
  readonly authentication: Authentication;
}

interface CachePorts extends TokenPorts {
  readonly settings: ForgeSettings;
  readonly tokens: ReadCache<KnownToken>;
  readonly uses: TokenUses;
}

async function byBearer(ports: CachePorts, token: string): Promise<Authentication | undefined> {
  if (isInstallationToken(token)) return byInstallationToken(ports, token);
  if (looksLikeJwt(token)) return byJwt(ports, token);
  return byToken(ports, sha256(token));
}

/** undefined for a token that this server has not issued. */
async function byInstallationToken(
  ports: TokenPorts,
  text: string,
): Promise<Authentication | undefined> {
  const token = readInstallationToken(ports, text);
  if (!token) return undefined;
  const now = ports.clock.now();
  const caller = await ports.database.read((sql) => installationCaller(sql, token, now));
  return caller ? { ...anonymous, caller } : invalidCredentials;
}

async function installationCaller(
  sql: Sql,
  token: InstallationToken,
  now: number,
): Promise<InstallationCaller | undefined> {
  if (token.expiresAt <= now) return undefined;
  const found = await findInstallationGrant(sql, token);
  return found && { kind: 'user', scopes: new Set(), ...found };
}

async function byJwt({ clock, database }: TokenPorts, token: string): Promise<Authentication> {
  const clientNow = hostTime(clock);
  const ahead = clock.now() - clientNow;
  const result = await database.read((sql) => verifyAppJwt(sql, token, clientNow));
  return result.kind === 'app'
    ? { ...anonymous, caller: { ...result, expiresAt: result.expiresAt + ahead } }
    : { ...anonymous, refusal: result.refusal };
}

async function byToken(
  { database, clock, tokens, uses }: CachePorts,
  tokenSha256: string,
): Promise<Authentication | undefined> {
  const now = clock.now();
  const known = await tokens.find(tokenSha256, () =>
    database.readOne(async (sql) => {
      const owner = await findTokenOwner(sql, tokenSha256, now);
      return owner && { owner, authentication: authenticationOf(owner, tokenSha256) };
    }),
  );
  if (!known) return undefined;
  const { tokenId, expiresAt, lastUsedAt } = known.owner;
  // It may have expired since it was cached.
  if (expiresAt !== null && expiresAt <= now) return undefined;
  if (known.owner.account.suspendedAt !== null) return suspended;
  uses.record(tokenId, lastUsedAt);
  return known.authentication;
}

function authenticationOf(
  { account, scopes, clientId, tokenId, expiresAt }: TokenOwner,
  tokenSha256: string,
): Authentication {
  return {
    caller: { kind: 'user', account, scopes: new Set(scopes) },
    refusal: undefined,
    tokenScopes: scopeList(scopes),
    tokenSha256,
    passwordHash: undefined,
    tokenClientId: clientId ?? undefined,
    tokenExpiresAt: expiresAt ?? undefined,
    tokenId,
  };
}

/** Basic credentials with something other than a password of an account. */
async function bySecret(
  ports: CachePorts,
  { login, password }: Extract<Credentials, { kind: 'basic' }>,
): Promise<Authentication | undefined> {
  const byItself = await byToken(ports, sha256(password));
  return byItself ?? ports.database.readOne((sql) => byApplication(sql, login, password));
}

async function byPassword(
  attempt: PasswordAttempt,
  passwords: PasswordSignIn,
): Promise<Authentication> {
  const result = await passwords.signIn(attempt);
  if (result.kind !== 'signed-in') return { ...anonymous, refusal: result };
  return {
    ...anonymous,
    caller: { kind: 'user', account: result.account, scopes: 'password' },
    passwordHash: result.passwordHash,
  };
}

async function byApplication(
  sql: Sql,
  clientId: string,
  secret: string,
): Promise<Authentication | undefined> {
  const application = await findApplication(sql, clientId);
  if (!application) return undefined;
  const provided = Buffer.from(sha256(secret));
  if (!timingSafeEqual(provided, Buffer.from(application.secretSha256))) return undefined;
  return { ...anonymous, caller: { kind: 'application', applicationId: application.id } };
}
