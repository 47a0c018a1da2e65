import Type from 'typebox';

import type { Sql } from '#platform/database/database.ts';

import { representAccount } from '../../accounts/account-json.ts';
import { notFound } from '../../errors/api-error.ts';
import { ok, noContent } from '../../http/endpoint-result.ts';
import { type Json, timestamp } from '../../json/json-values.ts';
import type { Urls } from '../../json/urls.ts';
import type { Application } from '../../model/application.ts';
import type { Caller } from '../../model/caller.ts';
import { openEndpoint, type Endpoint } from '../../routing/endpoint.ts';
import { makeToken, sha256 } from '../token.ts';
import { applicationByClientId } from './application-store.ts';
import { revokeAccess } from './grant-access.ts';
import {
  replaceApplicationToken,
  deleteApplicationToken,
  type ApplicationToken,
  findApplicationToken,
} from './token-store.ts';

/** An application sends the token in the body, because URLs appear in logs. */
const tokenBody = Type.Object({ access_token: Type.String() });

/** Tokens of an OAuth application, and the grants behind them. */
export const applicationRoutes: readonly Endpoint[] = [
  /** An application checks one of its tokens and its owner. */
  openEndpoint({
    operation: 'apps/check-token',
    method: 'POST',
    path: '/applications/:client/token',
    docs: 'apps#check-a-token',
    body: tokenBody,
    async handle({ path, body, caller, urls }, { database }) {
      const text = body.access_token;
      const found = await database.read((sql) => ownToken(sql, caller, path.client, text));
      return ok(representApplicationToken(found, text, urls));
    },
  }),

  /** An application resets a token that may have leaked. */
  openEndpoint({
    operation: 'apps/reset-token',
    method: 'PATCH',
    path: '/applications/:client/token',
    docs: 'apps#reset-a-token',
    body: tokenBody,
    async handle({ path, body, caller, urls }, ports) {
      const next = makeToken(ports.randomBytes(32));
      const found = await ports.database.write(async (sql) => {
        const own = await ownToken(sql, caller, path.client, body.access_token);
        const newToken = { sha256: sha256(next), lastEight: next.slice(-8) };
        await replaceApplicationToken(sql, own.token.id, newToken);
        return own;
      });
      return ok(representApplicationToken(found, next, urls));
    },
  }),

  /** An application revokes one of its tokens; the user's grant stays. */
  openEndpoint({
    operation: 'apps/delete-token',
    method: 'DELETE',
    path: '/applications/:client/token',
    docs: 'apps#delete-an-app-token',
    body: tokenBody,
    async handle({ path, body, caller }, { database }) {
      await database.write(async (sql) => {
        const { token } = await ownToken(sql, caller, path.client, body.access_token);
        await deleteApplicationToken(sql, token.id);
      });
      return noContent();
    },
  }),

  /** An application deletes the grant of a user, identified by one of its tokens. */
  openEndpoint({
    operation: 'apps/delete-authorization',
    method: 'DELETE',
    path: '/applications/:client/grant',
    docs: 'apps#delete-an-app-authorization',
    body: tokenBody,
    async handle({ path, body, caller }, { database }) {
      await database.write(async (sql) => {
        const { application, token } = await ownToken(sql, caller, path.client, body.access_token);
        await revokeAccess(sql, token.account.id, application.id);
      });
      return noContent();
    },
  }),
];

/** The calling application with its token. Tokens of other applications are reported as unknown. */
async function ownToken(
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

/** A token with its owner, for the application, which already knows the token itself. */
function representApplicationToken(
  { application, token }: { application: Application; token: ApplicationToken },
  text: string,
  urls: Urls,
): { [field: string]: Json } {
  return {
    id: token.id,
    url: urls.api(`/authorizations/${token.id}`),
    app: {
      name: application.name,
      url: application.callbackUrl ?? urls.web('/'),
      client_id: application.clientId,
    },
    token: text,
    hashed_token: sha256(text),
    token_last_eight: text.slice(-8),
    note: null,
    note_url: null,
    // Tokens do not expire.
    expires_at: null,
    created_at: timestamp(token.createdAt),
    updated_at: timestamp(token.createdAt),
    scopes: token.scopes,
    fingerprint: null,
    user: representAccount(token.account, urls),
  };
}
