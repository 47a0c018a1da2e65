import { verify } from 'node:crypto';

import type { Sql } from '#platform/database/database.ts';

import type { Refusal } from '../../errors/api-error.ts';
import type { App } from '../../model/app.ts';
import { appByClientId, appById } from './app-store.ts';

export type JwtResult =
  | { readonly kind: 'app'; readonly app: App; readonly expiresAt: number }
  | {
      readonly kind: 'refused';
      readonly refusal: Extract<Refusal, { kind: 'invalid-jwt' | 'not-found' | 'suspended' }>;
    };

/** How far ahead `exp` of an App's JSON Web Token may be, as on GitHub. */
const lifetimeSecondsMax = 600;
/** How far the clock of an App may be ahead of the server's. */
const driftSeconds = 60;

/** Messages of GitHub. Octokit recognizes those about times, and corrects for the difference between the clocks. */
const messages = {
  undecodable: 'A JSON web token could not be decoded',
  issuer: "Missing 'issuer' claim ('iss') in assertion",
  expiration:
    "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
  tooFar: "'Expiration time' claim ('exp') is too far in the future",
  issuedAt:
    "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
} as const;

export function looksLikeJwt(text: string): boolean {
  return /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/.test(text);
}

/** The App that has signed a JSON Web Token (RFC 7519) with its private key, by RS256. */
export async function verifyAppJwt(sql: Sql, text: string, now: number): Promise<JwtResult> {
  const [header = '', payload = '', signature = ''] = text.split('.');
  const claims = parseObject(payload);
  const head = parseObject(header);
  // Extensions that are critical and not understood (RFC 7515, 4.1.11): none is.
  if (!claims || head?.['alg'] !== 'RS256' || head['crit'] !== undefined) {
    return refused('undecodable');
  }
  const issuer = claims['iss'];
  if (typeof issuer !== 'string' && typeof issuer !== 'number') return refused('issuer');
  const app = await appOfIssuer(sql, String(issuer));
  if (!app) {
    return {
      kind: 'refused',
      refusal: { kind: 'not-found', message: 'Integration not found' },
    };
  }
  const signed = Buffer.from(`${header}.${payload}`);
  const genuine = verify('sha256', signed, app.publicKey, Buffer.from(signature, 'base64url'));
  if (!genuine) return refused('undecodable');
  const problem = problemWithTimes(claims, now / 1000);
  if (problem !== undefined) return refused(problem);
  // The key of an App is one that its owner has.
  if (app.owner.suspendedAt !== null) return { kind: 'refused', refusal: { kind: 'suspended' } };
  return { kind: 'app', app, expiresAt: Number(claims['exp']) * 1000 };
}

function problemWithTimes(
  claims: Readonly<Record<string, unknown>>,
  now: number,
): keyof typeof messages | undefined {
  const { exp, iat, nbf } = claims;
  if (typeof exp !== 'number' || exp <= now) return 'expiration';
  if (exp > now + lifetimeSecondsMax) return 'tooFar';
  // Octokit sends no fractions, and GitHub takes none.
  if (typeof iat !== 'number' || !Number.isInteger(iat) || iat > now + driftSeconds) {
    return 'issuedAt';
  }
  if (nbf !== undefined && (typeof nbf !== 'number' || nbf > now + driftSeconds)) {
    return 'undecodable';
  }
  return undefined;
}

/** An App names itself by its id or by its client id. */
function appOfIssuer(sql: Sql, issuer: string): Promise<App | undefined> {
  return /^\d{1,15}$/.test(issuer) ? appById(sql, Number(issuer)) : appByClientId(sql, issuer);
}

function refused(problem: keyof typeof messages): JwtResult {
  return { kind: 'refused', refusal: { kind: 'invalid-jwt', message: messages[problem] } };
}

function parseObject(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    if (typeof value !== 'object' || value === null) return undefined;
    return Object.fromEntries(Object.entries(value));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
