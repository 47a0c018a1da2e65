import type { FastifyRequest } from 'fastify';

import type { Caller } from '../model/caller.ts';
import type { Urls } from '../json/urls.ts';
import type { CredentialRefusal } from './authentication.ts';
import type { MediaType } from './media-types.ts';
import type { RateResource, RateWindow } from './rate-limit.ts';

/** The state of a request, which the steps of the pipeline fill in order (routing/pipeline.ts). */
export interface RequestState {
  caller: Caller;
  /** Why the credentials are invalid; the request is refused after the rate limit has counted it. */
  credentialRefusal: CredentialRefusal | undefined;
  /** The value of `X-OAuth-Scopes`; undefined without a token. */
  tokenScopes: string | undefined;
  /** The hash of the request's token. */
  tokenSha256: string | undefined;
  /** The stored hash, if the request was authenticated with a password. */
  passwordHash: string | undefined;
  /** The value of `X-OAuth-Client-Id`; undefined for tokens that no application got. */
  tokenClientId: string | undefined;
  /** When the token expires; undefined: never, or there is none. */
  tokenExpiresAt: number | undefined;
  tokenId: number | undefined;
  media: MediaType;
  urls: Urls;
  /** The base URL that the client used, on which the response depends. */
  baseUrl: string;
  rate: RateWindow | undefined;
  overLimit: boolean;
  rateOf: (resource: RateResource) => Promise<RateWindow>;
  countIn: (resource: RateResource) => Promise<boolean>;
  /** Whether the body came later than its head: what was decided with the head may no longer hold. */
  bodyAwaited: boolean;
  /** Counts something that the request creates in addition to itself; undefined without limits of bursts. */
  countCreation: (() => number | undefined | Promise<number | undefined>) | undefined;
  /** The function name of a wrapped response (`?callback=`). */
  callback: string | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    forge: RequestState;
  }
}

/** The query string, as parsed once by the router. */
export function queryOf(request: FastifyRequest): URLSearchParams {
  return request.query instanceof URLSearchParams ? request.query : new URLSearchParams();
}

/** The path without its query string and without the enterprise prefix. */
export function pathOf(request: FastifyRequest): string {
  const url = request.raw.url ?? '/';
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  return path.startsWith('/api/v3') ? path.slice('/api/v3'.length) : path;
}
