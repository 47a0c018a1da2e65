import type { Sql } from '#platform/database/database.ts';

import type { Scope } from '../../model/scopes.ts';
import { applicationByClientId } from './application-store.ts';
import { type Application, readScopes } from '../../model/application.ts';
import type { FlowError } from './flow-error.ts';
import { redirectOf } from '../redirect-uri.ts';

/** What an application asks of whoever follows its link. */
export interface AuthorizationRequest {
  readonly application: Application;
  /** Where the answer goes: the application's own address, checked. */
  readonly redirectUri: string;
  /** Undefined: what the user has allowed before. */
  readonly scopes: readonly Scope[] | undefined;
  /** Given back with the answer as it is. */
  readonly state: string | undefined;
  readonly codeChallenge: string | undefined;
}

export type ReadAuthorizationRequest =
  | { readonly kind: 'request'; readonly authorization: AuthorizationRequest }
  /** There is nobody to answer: no such application, or one without a callback URL. */
  | { readonly kind: 'unknown-application' }
  | { readonly kind: 'no-callback'; readonly application: Application }
  /** The application is told at an address that is surely its own. */
  | {
      readonly kind: 'refused';
      readonly error: FlowError;
      readonly redirectUri: string;
      readonly state: string | undefined;
    };

/** Reads the parameters of the consent page, which come with the link and again with the form. */
export async function readAuthorizationRequest(
  sql: Sql,
  parameters: URLSearchParams,
): Promise<ReadAuthorizationRequest> {
  const application = await applicationByClientId(sql, parameters.get('client_id') ?? '');
  if (!application) return { kind: 'unknown-application' };
  const { callbackUrl } = application;
  if (callbackUrl === null) return { kind: 'no-callback', application };
  const state = given(parameters, 'state');
  const redirectUri = redirectOf(callbackUrl, given(parameters, 'redirect_uri'));
  if (redirectUri === undefined) {
    return { kind: 'refused', error: 'redirect_uri_mismatch', redirectUri: callbackUrl, state };
  }
  const challenge = given(parameters, 'code_challenge');
  const method = given(parameters, 'code_challenge_method');
  if (!isChallenge(challenge, method)) {
    return { kind: 'refused', error: 'invalid_request', redirectUri, state };
  }
  const scope = given(parameters, 'scope');
  return {
    kind: 'request',
    authorization: {
      application,
      redirectUri,
      scopes: scope === undefined ? undefined : readScopes(scope),
      state,
      codeChallenge: challenge,
    },
  };
}

/** The plain method would prove nothing to whoever can read the link (RFC 7636, 7.2). */
function isChallenge(challenge: string | undefined, method: string | undefined): boolean {
  if (challenge === undefined) return method === undefined;
  return method === 'S256' && /^[\w-]{43}$/.test(challenge);
}

function given(parameters: URLSearchParams, name: string): string | undefined {
  const value = parameters.get(name);
  return value === null || value === '' ? undefined : value;
}
