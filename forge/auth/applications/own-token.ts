import type { Sql } from '#platform/database/database.ts';
import Type from 'typebox';

import type { Caller } from '../../model/caller.ts';
import { sha256 } from '../token.ts';
import { notFound } from '../../errors/api-error.ts';
import { applicationByClientId } from './application-store.ts';
import type { Application } from '../../model/application.ts';
import { type ApplicationToken, findApplicationToken } from './token-store.ts';

/** How an application names a token: in the body, since an address is in many a log. */
export const tokenBody = Type.Object({ access_token: Type.String() });

/** The application that asks, with the token it asks about. Of others it learns nothing, and others of it. */
export async function ownToken(
  sql: Sql,
  caller: Caller,
  clientId: string,
  token: string,
): Promise<{ application: Application; token: ApplicationToken }> {
  const application = await applicationByClientId(sql, clientId);
  if (!application || caller.kind !== 'application' || caller.applicationId !== application.id) {
    return notFound();
  }
  const found = await findApplicationToken(sql, application.id, sha256(token));
  return found ? { application, token: found } : notFound();
}
