import type { Sql } from '#platform/database/database.ts';

import { deleteApplicationTokens } from '../credential-store.ts';
import { holds, type Scope, widest } from '../../model/scopes.ts';
import { sha256 } from '../token.ts';
import type { Ports } from '../../ports/ports.ts';
import { deleteGrant, findGrant, insertCode, putGrant } from './application-store.ts';
import type { Grant } from '../../model/application.ts';
import type { AuthorizationRequest } from './authorize-input.ts';

/**
 * Validity of a code of the web application flow, which holds once. It is short, because the code is passed in a URL of the
 * browser.
 */
const codeMilliseconds = 10 * 60_000;
const codeBytes = 20;

/** The scopes to grant, and whether they exceed the existing grant. */
export interface Consent {
  readonly scopes: readonly Scope[];
  readonly isRequested: boolean;
}

/** An application that requests no scopes gets those of its grant. */
export function consentFor(authorization: AuthorizationRequest, grant: Grant | undefined): Consent {
  const scopes = authorization.scopes ?? grant?.scopes ?? [];
  const held = new Set(grant?.scopes);
  return { scopes, isRequested: !grant || scopes.some((scope) => !holds(held, scope)) };
}

/**
 * Creates a code for the application and stores the grant. `byUser`: the user has just consented; otherwise the code never
 * exceeds the current grant, which may have changed meanwhile. undefined: the user must be asked for consent.
 */
export async function grantAccess(
  ports: Pick<Ports, 'clock' | 'database' | 'randomBytes'>,
  accountId: number,
  authorization: AuthorizationRequest,
  byUser: boolean,
): Promise<string | undefined> {
  const code = Buffer.from(ports.randomBytes(codeBytes)).toString('hex');
  const now = ports.clock.now();
  const applicationId = authorization.application.id;
  return ports.database.write(async (sql) => {
    const grant = await findGrant(sql, accountId, applicationId);
    const { scopes, isRequested } = consentFor(authorization, grant);
    if (isRequested && !byUser) return undefined;
    if (isRequested) {
      const all = widest([...(grant?.scopes ?? []), ...scopes]).toSorted();
      await putGrant(sql, { accountId, applicationId, scopes: all, now });
    }
    await insertCode(sql, {
      sha256: sha256(code),
      applicationId,
      accountId,
      redirectUri: authorization.redirectUri,
      scopes,
      codeChallenge: authorization.codeChallenge ?? null,
      now,
      expiresAt: now + codeMilliseconds,
    });
    return code;
  });
}

/** Revokes an application's grant and all of its tokens. false if there was no grant. */
export async function revokeAccess(
  sql: Sql,
  accountId: number,
  applicationId: number,
): Promise<boolean> {
  await deleteApplicationTokens(sql, accountId, applicationId);
  return deleteGrant(sql, accountId, applicationId);
}
