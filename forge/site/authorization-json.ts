import type { CreatedToken } from '../auth/create-token.ts';
import { sha256 } from '../auth/token.ts';
import { type Json, timestamp } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';

/** A token that was just made, in the one answer that holds its text. */
export function representAuthorization(made: CreatedToken, urls: Urls): { [member: string]: Json } {
  return {
    id: made.id,
    url: urls.api(`/authorizations/${made.id}`),
    app: { name: 'Site Administrator', url: urls.web('/'), client_id: '0'.repeat(20) },
    token: made.token,
    hashed_token: sha256(made.token),
    token_last_eight: made.token.slice(-8),
    note: made.note,
    note_url: null,
    created_at: timestamp(made.createdAt),
    updated_at: timestamp(made.createdAt),
    scopes: made.scopes,
    fingerprint: null,
  };
}
