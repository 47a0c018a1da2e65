import type { Sql } from '#platform/database/database.ts';

import { type Application, readScopes } from '../../model/application.ts';
import type { Scope } from '../../model/scopes.ts';
import { redirectOf } from '../redirect-uri.ts';
import { applicationByClientId } from './application-store.ts';

/** An application's authorization request, from the link that the user followed. */
export interface AuthorizationRequest {
  readonly application: Application;
  /** The validated redirect URI of the application. */
  readonly redirectUri: string;
  /** undefined: the scopes of the existing grant. */
  readonly scopes: readonly Scope[] | undefined;
  /** Returned unchanged with the response. */
  readonly state: string | undefined;
  readonly codeChallenge: string | undefined;
}

type ReadAuthorizationRequest =
  | { readonly kind: 'request'; readonly authorization: AuthorizationRequest }
  /** There is no redirect URI: the application does not exist or has no callback URL. */
  | { readonly kind: 'unknown-application' }
  | { readonly kind: 'no-callback'; readonly application: Application }
  /** The error is sent to the application, whose redirect URI is valid. */
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
  const state = parameter(parameters, 'state');
  const redirectUri = redirectOf(callbackUrl, parameter(parameters, 'redirect_uri'));
  if (redirectUri === undefined) {
    return { kind: 'refused', error: 'redirect_uri_mismatch', redirectUri: callbackUrl, state };
  }
  const challenge = parameter(parameters, 'code_challenge');
  const method = parameter(parameters, 'code_challenge_method');
  if (!isChallenge(challenge, method)) {
    return { kind: 'refused', error: 'invalid_request', redirectUri, state };
  }
  const scope = parameter(parameters, 'scope');
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

/** The `plain` method gives no protection against an attacker who can read the link (RFC 7636, 7.2). */
function isChallenge(challenge: string | undefined, method: string | undefined): boolean {
  if (challenge === undefined) return method === undefined;
  return method === 'S256' && /^[\w-]{43}$/.test(challenge);
}

function parameter(parameters: URLSearchParams, name: string): string | undefined {
  const value = parameters.get(name);
  return value === null || value === '' ? undefined : value;
}

/** Errors of the web application flow: GitHub's error codes, which clients know, each with its description. */
export const flowErrors = {
  incorrect_client_credentials: 'The client_id and/or client_secret passed are incorrect.',
  redirect_uri_mismatch:
    'The redirect_uri MUST match the registered callback URL for this application.',
  bad_verification_code: 'The code passed is incorrect or expired.',
  access_denied: 'The user has denied your application access.',
  invalid_request:
    'A code_challenge must be 43 base64url characters, with code_challenge_method S256.',
  unsupported_grant_type:
    'The grant_type must be authorization_code or urn:ietf:params:oauth:grant-type:device_code.',
  authorization_pending: 'The user has not entered the code yet.',
  slow_down: 'The device code was asked for sooner than its interval allows.',
  device_flow_disabled: 'The device flow is for applications without a callback URL.',
  expired_token: 'The device code has expired. Ask for another one.',
  incorrect_device_code: 'The device_code passed is incorrect.',
} as const;

export type FlowError = keyof typeof flowErrors;
