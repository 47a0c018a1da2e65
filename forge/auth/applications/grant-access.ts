import type { Sql } from '#platform/database/database.ts';

import { deleteApplicationTokens } from '../credential-store.ts';
import { holds, type Scope, widest } from '../../model/scopes.ts';
import { sha256 } from '../token.ts';
import type { Ports } from '../../ports/ports.ts';
import { deleteGrant, findGrant, insertCode, putGrant } from './application-store.ts';
import type { Grant } from '../../model/application.ts';
import type { AuthorizationRequest } from './authorize-input.ts';

/** A code travels through the browser's address: it is good for as long as that takes. */
const codeMilliseconds = 10 * 60_000;
const codeBytes = 20;

/** What the user would allow, and whether that goes beyond what was allowed before. */
export interface Consent {
  readonly scopes: readonly Scope[];
  readonly asked: boolean;
}

/** Without a wish for scopes, an application gets those it has. */
export function consentFor(authorization: AuthorizationRequest, grant: Grant | undefined): Consent {
  const scopes = authorization.scopes ?? grant?.scopes ?? [];
  const held = new Set(grant?.scopes);
  return { scopes, asked: !grant || scopes.some((scope) => !holds(held, scope)) };
}

/**
 * Makes a code for the application to exchange, and remembers what it was allowed. `byUser`: the user has just said yes;
 * else nothing beyond the grant is given, whatever happened to it meanwhile. undefined: the user has to be asked.
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
    const { scopes, asked } = consentFor(authorization, grant);
    if (asked && !byUser) return undefined;
    if (asked) {
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

/** Takes back all that an application was allowed, with every token it got. false: there was nothing. */
export async function revokeAccess(
  sql: Sql,
  accountId: number,
  applicationId: number,
): Promise<boolean> {
  await deleteApplicationTokens(sql, accountId, applicationId);
  return deleteGrant(sql, accountId, applicationId);
}
