import { sha256 } from '../token.ts';
import { representAccount } from '../../accounts/account-json.ts';
import { type Json, timestamp } from '../../json/json-values.ts';
import type { Urls } from '../../json/urls.ts';
import type { Application } from '../../model/application.ts';
import type { ApplicationToken } from './token-store.ts';

/** A token with its owner, for the application, which already knows the token itself. */
export function representApplicationToken(
  { application, token }: { application: Application; token: ApplicationToken },
  text: string,
  urls: Urls,
): { [member: string]: Json } {
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
