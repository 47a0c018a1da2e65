import { findTokenOwner } from '#forge/auth/credential-store.ts';
import { sha256 } from '#forge/auth/token.ts';
import { parseAuthorization } from '#forge/http/authentication.ts';
import { holds } from '#forge/model/scopes.ts';
import type { Database } from '#platform/database/database.ts';

/** Whether the header has a token of a site administrator with the scope `site_admin`. Passwords and Apps do not count. */
export async function isAdministratorToken(
  database: Database,
  authorization: string | undefined,
  now: number,
): Promise<boolean> {
  const credentials = parseAuthorization(authorization);
  if (credentials.kind !== 'token') return false;
  const owner = await database.readOne((sql) =>
    findTokenOwner(sql, sha256(credentials.token), now),
  );
  return owner?.account.siteAdmin === true && holds(new Set(owner.scopes), 'site_admin');
}
