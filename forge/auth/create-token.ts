import { present } from '#platform/present.ts';

import type { AdministrationPorts } from '../ports/ports.ts';
import { resolveUser } from '../accounts/resolve-account.ts';
import { type FieldError, invalid } from '../errors/api-error.ts';
import { insertToken } from './credential-store.ts';
import { parseScope, type Scope, scopes as allScopes, widest } from '../model/scopes.ts';
import { makeToken, sha256 } from './token.ts';

export interface CreateTokenInput {
  /** The user it acts for. */
  readonly login: string;
  /** Scopes of model/scopes.ts; without any the token reads public data only. */
  readonly scopes: readonly string[];
  /** A description that distinguishes the token from others. */
  readonly note?: string | undefined;
  /** Milliseconds since the epoch; undefined: never. */
  readonly expiresAt?: number | undefined;
  /** The site administrator who creates it for another user. */
  readonly issuerId?: number;
}

export interface CreatedToken {
  readonly id: number;
  /** Returned only once: only its hash is stored. */
  readonly token: string;
  readonly scopes: readonly Scope[];
  readonly note: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
}

/** Note of a token. */
const noteCharactersMax = 255;

/** Creates a token and returns its secret, or refuses with what is wrong with the request. */
export async function createToken(
  ports: AdministrationPorts,
  input: CreateTokenInput,
): Promise<CreatedToken> {
  const scopes = readScopes(input.scopes);
  const note = input.note ?? null;
  if (note !== null && note.length > noteCharactersMax) {
    invalid(tokenError('note', `note is longer than ${noteCharactersMax} characters`));
  }
  const token = makeToken(ports.randomBytes(32));
  const createdAt = ports.clock.now();
  const { expiresAt } = input;
  if (expiresAt !== undefined && expiresAt <= createdAt) {
    invalid(tokenError('expires_at', 'the expiration must be in the future'));
  }
  const id = await ports.database.write(async (sql) => {
    const account = await resolveUser(sql, input.login, 'OauthAccess', 'login');
    return insertToken(sql, {
      accountId: account.id,
      sha256: sha256(token),
      lastEight: token.slice(-8),
      note,
      scopes,
      ...present({ issuerId: input.issuerId, expiresAt }),
      now: createdAt,
    });
  });
  return { id, token, scopes, note, createdAt, expiresAt: expiresAt ?? null };
}

function readScopes(requested: readonly string[]): Scope[] {
  const unknown = requested.filter((word) => parseScope(word) === undefined);
  if (unknown.length > 0) {
    const names = unknown.map((word) => `'${word}'`).join(', ');
    const verb = unknown.length === 1 ? 'is not a scope' : 'are not scopes';
    invalid(tokenError('scopes', `${names} ${verb}; the scopes are ${allScopes.join(', ')}`));
  }
  return widest(requested.flatMap((word) => parseScope(word) ?? []));
}

function tokenError(field: string, message: string): FieldError {
  return { resource: 'OauthAccess', field, code: 'custom', message };
}
