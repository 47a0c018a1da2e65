import { createHash, timingSafeEqual } from 'node:crypto';

import { isSuspended } from '../../accounts/account-store.ts';
import { deleteOlderTokens, insertToken } from '../credential-store.ts';
import type { Scope } from '../../model/scopes.ts';
import { makeToken, sha256 } from '../token.ts';
import type { Ports } from '../../ports/ports.ts';
import { applicationByClientId, redeemCode } from './application-store.ts';
import type { Application } from '../../model/application.ts';
import type { FlowError } from './authorize-input.ts';
import { redirectOf } from '../redirect-uri.ts';

/** Tokens of an application with the same scopes for one user; with more, the oldest are revoked, as on GitHub. */
export const tokensMax = 10;

/** What an application sends to get its token. */
export interface AccessTokenRequest {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly code: string;
  readonly redirectUri: string | undefined;
  /** Of PKCE: what the code_challenge was made from. */
  readonly codeVerifier: string | undefined;
}

export type ExchangeResult =
  | { readonly kind: 'token'; readonly token: string; readonly scopes: readonly Scope[] }
  | { readonly kind: 'refused'; readonly error: FlowError };

/** Exchanges a code for a token. A code sent by its own application is consumed even if the exchange fails. */
export async function exchangeCode(
  ports: Pick<Ports, 'clock' | 'database' | 'randomBytes'>,
  tokenRequest: AccessTokenRequest,
): Promise<ExchangeResult> {
  const { database, clock } = ports;
  const application = await database.read((sql) =>
    applicationByClientId(sql, tokenRequest.clientId),
  );
  if (!application || !isSecret(application, tokenRequest.clientSecret)) {
    return refused('incorrect_client_credentials');
  }
  const token = makeToken(ports.randomBytes(32));
  const now = clock.now();
  return database.write(async (sql) => {
    const applicationId = application.id;
    const meaning = await redeemCode(sql, {
      sha256: sha256(tokenRequest.code),
      applicationId,
      now,
    });
    if (!meaning) return refused('bad_verification_code');
    if (!isRedirect(application, meaning.redirectUri, tokenRequest.redirectUri)) {
      return refused('redirect_uri_mismatch');
    }
    if (!isVerifier(meaning.codeChallenge, tokenRequest.codeVerifier)) {
      return refused('bad_verification_code');
    }
    const { accountId, scopes } = meaning;
    if (await isSuspended(sql, accountId)) return refused('bad_verification_code');
    await insertToken(sql, {
      accountId,
      sha256: sha256(token),
      lastEight: token.slice(-8),
      note: null,
      scopes,
      applicationId,
      now,
    });
    await deleteOlderTokens(sql, { accountId, applicationId, scopes }, tokensMax);
    return { kind: 'token', token, scopes };
  });
}

function isSecret(application: Application, secret: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(secret)), Buffer.from(application.secretSha256));
}

/** The redirect URI is optional; if sent, it must be equivalent to the one that received the code. */
function isRedirect(
  { callbackUrl }: Application,
  used: string,
  requestedUri: string | undefined,
): boolean {
  if (requestedUri === undefined) return true;
  return callbackUrl !== null && redirectOf(callbackUrl, requestedUri) === used;
}

/** A verifier without a challenge indicates an injected code (PKCE downgrade attack, RFC 9700, 4.8). */
function isVerifier(challenge: string | null, verifier: string | undefined): boolean {
  if (challenge === null || verifier === undefined) {
    return challenge === null && verifier === undefined;
  }
  const actual = createHash('sha256').update(verifier).digest('base64url');
  return timingSafeEqual(Buffer.from(actual), Buffer.from(challenge));
}

function refused(error: FlowError): ExchangeResult {
  return { kind: 'refused', error };
}
