import type { FastifyReply, FastifyRequest } from 'fastify';
import { STATUS_CODES } from '#platform/node-http.ts';
import { Readable } from 'node:stream';

import { passiveContentHeaders, strictTransportSecurity } from '#platform/passive-content.ts';
import { responseEndSignal } from '#platform/response-end.ts';

import { enterpriseVersion, type VendorNames } from '../json/vendor.ts';
import { type HttpResponse, jsonType, type ResponseStream } from './http-response.ts';
import { wrapInCallback } from './callback-wrapping.ts';
import { entityHeaders, isUnchanged } from './conditional-request.ts';
import type { CrossOriginHeaders } from './cross-origin.ts';
import { rateHeaders, refund } from './rate-limit.ts';
import { requestKey } from './response-cache.ts';
import type { SentVersions } from './sent-versions.ts';
import { startTransfer, transferCaller, type TransferLimiter } from './transfer-limiter.ts';

export interface ResponseSender {
  /** `stream` is sent instead of a body. */
  send(
    request: FastifyRequest,
    reply: FastifyReply,
    response: HttpResponse,
    stream?: Readable,
  ): FastifyReply;
  /** Whether the request is conditional and the client already has this response. */
  isUnchanged(request: FastifyRequest, response: HttpResponse): boolean;
  /** The headers of a response except those that differ each time: status, request id, rate limit, entity tag, encoding. */
  headersOf(request: FastifyRequest, response: HttpResponse): Record<string, string>;
}

const securityHeaders = {
  ...passiveContentHeaders,
  'strict-transport-security': strictTransportSecurity,
  'x-frame-options': 'deny',
  'x-xss-protection': '0',
  'referrer-policy': 'origin-when-cross-origin, strict-origin-when-cross-origin',
  vary: 'Accept-Encoding, Accept, X-Requested-With',
} as const;

/**
 * The last step of every response, including refusals: the shared headers, conditional requests (a 304 does not count
 * against the rate limit) and the JSONP callback.
 */
export function createResponseSender(
  vendor: VendorNames,
  crossOrigin: CrossOriginHeaders,
  sentVersions: SentVersions,
): ResponseSender {
  const always = { ...securityHeaders, ...crossOrigin.always };
  const mediaTypeHeader = `${vendor.headerPrefix.toLowerCase()}media-type`;
  const versionHeader = `${vendor.headerPrefix.toLowerCase()}enterprise-version`;
  const expiryHeader = `${vendor.word}-authentication-token-expiration`;
  const codeHeader = `${vendor.headerPrefix.toLowerCase()}otp`;
  const requestIdHeader = `${vendor.headerPrefix.toLowerCase()}request-id`;
  const isUnchangedFor: ResponseSender['isUnchanged'] = (request, response) => {
    const { tag } = response;
    const readOnly = request.method === 'GET' || request.method === 'HEAD';
    if (tag === undefined || !readOnly || response.status !== 200) return false;
    return isUnchanged(
      request.headers,
      tag,
      sentVersions.datesOf(requestKey(request), { ...response, tag }),
    );
  };
  const send: ResponseSender['send'] = (request, reply, response, stream) => {
    const state = request.forge;
    const unchanged = isUnchangedFor(request, response);
    if (unchanged && state.rate) refund(state.rate);
    const status = unchanged ? 304 : response.status;
    const headers = headersOf(request, response);
    const encoding = unchanged ? undefined : response.encoding;
    Object.assign(headers, entityHeaders(response.tag, encoding));
    headers['status'] = `${status} ${STATUS_CODES[status] ?? ''}`;
    headers[requestIdHeader] = request.id;
    const rate = state.rate ? rateHeaders(state.rate) : [];
    for (let index = 0; index < rate.length; index += 2) {
      headers[rate[index] ?? ''] = rate[index + 1] ?? '';
    }
    if (unchanged) return reply.code(304).headers(headers).send();
    if (state.callback !== undefined && isJson(response)) {
      return sendWrapped(reply, state.callback, status, headers, response);
    }
    return reply
      .code(status)
      .headers(headers)
      .send(stream ?? response.body);
  };
  const headersOf: ResponseSender['headersOf'] = (request, response) => {
    const headers: Record<string, string> = {
      ...always,
      [mediaTypeHeader]: request.forge.media.echo,
      [versionHeader]: enterpriseVersion,
    };
    addResponseHeaders(headers, response, request);
    const { tokenExpiresAt } = request.forge;
    if (tokenExpiresAt !== undefined) headers[expiryHeader] = expiryText(tokenExpiresAt);
    if (response.contentType !== undefined) headers['content-type'] = response.contentType;
    // Browsers show JSON in a built-in viewer, which does not work with `sandbox`.
    if (isJson(response)) headers['content-security-policy'] = "default-src 'none'";
    if (response.codeRequired) headers[codeHeader] = 'required; app';
    return headers;
  };
  return { send, headersOf, isUnchanged: isUnchangedFor };
}

/** `2026-12-01 09:30:00 UTC`, as clients parse it. */
function expiryText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function addResponseHeaders(
  headers: Record<string, string>,
  response: HttpResponse,
  request: FastifyRequest,
): void {
  const state = request.forge;
  if (state.tokenScopes !== undefined) {
    headers['x-oauth-scopes'] = state.tokenScopes;
    headers['x-accepted-oauth-scopes'] = response.acceptedScopes ?? '';
    if (state.tokenClientId !== undefined) headers['x-oauth-client-id'] = state.tokenClientId;
  }
  if (response.tag !== undefined) {
    const signedIn = state.caller.kind === 'user';
    headers['cache-control'] = `${signedIn ? 'private' : 'public'}, max-age=60, s-maxage=60`;
    if (request.method === 'GET' || request.method === 'HEAD') {
      headers['vary'] = signedIn
        ? 'Accept, Authorization, Cookie, Accept-Encoding, X-Requested-With'
        : 'Accept, Accept-Encoding, X-Requested-With';
    }
  }
  if (response.cacheControl !== undefined) headers['cache-control'] = response.cacheControl;
  if (response.lastModified !== undefined) {
    headers['last-modified'] = new Date(response.lastModified).toUTCString();
  }
  if (response.retryAfterSeconds !== undefined) {
    headers['retry-after'] = String(response.retryAfterSeconds);
  }
  if (response.pollSeconds !== undefined) headers['x-poll-interval'] = String(response.pollSeconds);
  if (response.link !== undefined) headers['link'] = response.link;
  if (response.location !== undefined) headers['location'] = response.location;
  Object.assign(headers, response.fileHeaders);
}

function isJson(response: HttpResponse): boolean {
  return response.contentType === undefined || response.contentType === jsonType;
}

/** A JSONP response is always 200, because a script element ignores others; the status is in `meta`. */
function sendWrapped(
  reply: FastifyReply,
  callback: string,
  status: number,
  headers: Record<string, string>,
  response: HttpResponse,
): FastifyReply {
  const body = wrapInCallback(callback, status, headers, response.body?.toString() ?? '');
  return reply
    .code(200)
    .headers({
      ...headers,
      status: '200 OK',
      'content-type': 'application/javascript; charset=utf-8',
      // JSONP exists for scripts of other origins.
      'cross-origin-resource-policy': 'cross-origin',
    })
    .send(body);
}

/** Streams a response; the source is opened only if the body is sent. */
export async function sendStream(
  response: HttpResponse,
  { bytes, open }: ResponseStream,
  request: FastifyRequest,
  reply: FastifyReply,
  { sender, transfers }: { readonly sender: ResponseSender; readonly transfers: TransferLimiter },
): Promise<FastifyReply> {
  if (sender.isUnchanged(request, response)) return sender.send(request, reply, response);
  if (request.method === 'HEAD') {
    if (bytes !== undefined) reply.header('content-length', bytes);
    // The framework gives the length 0 to a response to HEAD without a payload.
    const empty = bytes === undefined ? Readable.from([]) : undefined;
    return sender.send(request, reply, response, empty);
  }
  const caller = transferCaller(request.forge.caller, request.ip);
  const stream = await startTransfer(transfers, caller, responseEndSignal(reply.raw), async () => ({
    stream: await open(),
  }));
  // Set only now, because a refusal has another length.
  if (bytes !== undefined) reply.header('content-length', bytes);
  return sender.send(request, reply, response, stream);
}
