import type { FastifyRequest } from 'fastify';

import type { Caller } from '../model/caller.ts';
import type { Urls } from '../json/urls.ts';
import type { CredentialRefusal } from './authentication.ts';
import type { MediaType } from './media-types.ts';
import type { RateWindow } from './rate-limit.ts';

/** What the pipeline has found out about a request, filled in from the top down (routing/pipeline.ts). */
export interface RequestState {
  caller: Caller;
  /** Credentials were sent and not taken; refused after the rate limit has counted the attempt. */
  credentialRefusal: CredentialRefusal | undefined;
  /** The value of `X-OAuth-Scopes`; undefined without a token. */
  tokenScopes: string | undefined;
  /** Of the token that the request came with. */
  tokenSha256: string | undefined;
  /** Of the account that named its password, as it is stored. */
  passwordHash: string | undefined;
  /** The value of `X-OAuth-Client-Id`; undefined for tokens that no application got. */
  tokenClientId: string | undefined;
  /** Whether the body was still to come when access was decided first. */
  bodyAwaited: boolean;
  media: MediaType;
  urls: Urls;
  /** Which address the client used: part of what an answer depends on. */
  baseUrl: string;
  rate: RateWindow | undefined;
  /** The function name of a wrapped answer (`?callback=`). */
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
