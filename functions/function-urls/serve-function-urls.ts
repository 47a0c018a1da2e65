import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { invokeRequestBytesMax } from '#functions-contract/limits.ts';
import { invoke } from '#functions-contract/operations/functions.ts';
import { METHODS } from '#platform/node-http.ts';
import { currentLineage, inLineageOf } from '#platform/invocation-lineage.ts';
import { functionCallerOf, openToFunctions } from '#platform/function-caller.ts';

import type { BodyBudget } from '../http/body-budget.ts';
import { forwardToHomes } from '../http/forward-to-homes.ts';
import { setErrorHandler } from '../http/send-output.ts';
import { noSuchResource } from '../errors/functions-error.ts';
import type { FunctionPorts } from '../http/call.ts';
import { answerRequest, type UrlResponse } from './answer-request.ts';
import { withoutLineage } from '../logs/trace-header.ts';
import { checkAccess } from '../urls/check-access.ts';
import {
  answerHeaders,
  preflightHeaders,
  readPreflight,
  type CorsHeaders,
} from '../urls/cors-headers.ts';
import type { Cors, FunctionUrl } from '../urls/function-url.ts';
import { httpEvent, type UrlRequest } from '../urls/http-event.ts';
import { contentlessStatuses, responseHeaders } from '../urls/response-headers.ts';
import { documentHeaders, withoutSiteHeaders } from '../urls/shared-origin.ts';
import { readUrlTarget, splitPath, urlPath, type UrlTarget } from '../urls/url-address.ts';
import { findUrlById } from '../urls/url-store.ts';

/** Answers requests at the addresses of functions. They are the functions' own: every method and path is taken. */
export function serveFunctionUrls(
  server: FastifyInstance,
  ports: FunctionPorts,
  bodies: BodyBudget,
): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !server.supportedMethods.includes(method)) {
      server.addHttpMethod(method, { hasBody: true });
    }
  }
  // The request is an invocation, with the errors of one.
  setErrorHandler(server, invoke);
  const bodyLimit = invokeRequestBytesMax;
  forwardToHomes(server, ports.homes, (request) => functionAt(ports, request));
  server.addHook('onRequest', (request, reply, done) => {
    bodies.enter(request, reply, bodyLimit, undefined);
    done();
  });
  const options = { bodyLimit, config: openToFunctions };
  server.all(`${urlPath}:urlId`, options, async (request, reply) => {
    const target = readUrlTarget(request.originalUrl, request.headers.host);
    if (!target) throw noSuchResource();
    return answer(ports, target, request, reply);
  });
}

/** The function of a URL; undefined when there is none. */
async function functionAt(
  { database }: FunctionPorts,
  { originalUrl, headers }: FastifyRequest,
): Promise<string | undefined> {
  const target = readUrlTarget(originalUrl, headers.host);
  const url = target && (await database.readOne((sql) => findUrlById(sql, target.urlId)));
  return url?.functionName;
}

async function answer(
  ports: FunctionPorts,
  target: UrlTarget,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { database, random, clock } = ports;
  const requestId = random.id();
  const onSite = target.form === 'path';
  reply.header('x-amzn-requestid', requestId);
  if (onSite) reply.headers(documentHeaders);
  const url = await database.read((sql) => findUrlById(sql, target.urlId));
  if (!url) throw noSuchResource();
  const read = readRequest(request, target, requestId, clock.now());
  const cors = corsOf(url, target);
  const preflight = cors && readPreflight(read.method, read.headers);
  if (cors && preflight) return reply.code(200).headers(preflightHeaders(cors, preflight)).send();
  const head = {
    method: read.method,
    // As the client signed it, before the host became a path.
    target: request.originalUrl,
    rawHeaders: request.raw.rawHeaders,
  };
  const principal = await checkAccess(ports, url, head, read.body);
  const passedOn = { ...read, headers: withoutCredentials(read.headers, url, target) };
  const event = httpEvent(passedOn, url, principal, read.headers['host'] ?? '');
  const isKnown = principal !== undefined || continuesChain(request.raw);
  const traceHeader = traceHeaderOf(read.headers, isKnown);
  const answered = await answerRequest(ports, url, requestId, event, traceHeader);
  const own = responseHeaders(answered, url, target);
  const allowed = cors ? answerHeaders(cors, read.headers['origin']) : {};
  const vary = [own['vary'], allowed['vary']].filter((each) => each !== undefined).flat();
  reply.headers({ ...own, ...allowed, ...(vary.length > 0 && { vary: vary.join(', ') }) });
  return send(reply, answered);
}

/** Of functions, and of webhooks that another server sends: their trace headers are true. */
function continuesChain(request: IncomingMessage): boolean {
  const lineage = inLineageOf(request, currentLineage);
  return functionCallerOf(request) !== undefined || lineage !== undefined;
}

/** Anybody could name a chain that has invoked the function too often, and have what it causes refused as a loop. */
function traceHeaderOf(headers: CorsHeaders, isKnown: boolean): string | undefined {
  const given = headers['x-amzn-trace-id'];
  return given === undefined || isKnown ? given : withoutLineage(given);
}

/** What is configured is for an origin of the URL's own; that of the site is never open to requests with credentials. */
function corsOf({ cors }: FunctionUrl, { form }: UrlTarget): Cors | undefined {
  return cors && form === 'path' ? { ...cors, AllowCredentials: false } : cors;
}

/** The function must not see the caller's signature, nor credentials of the site. */
function withoutCredentials(
  headers: CorsHeaders,
  { authType }: FunctionUrl,
  target: UrlTarget,
): CorsHeaders {
  if (target.form === 'path') return withoutSiteHeaders(headers);
  if (authType === 'NONE') return headers;
  const { authorization: _signature, 'x-amz-security-token': _token, ...rest } = headers;
  return rest;
}

function send(reply: FastifyReply, { status, body }: UrlResponse): FastifyReply {
  reply.code(status);
  if (contentlessStatuses.has(status)) return reply.send();
  return reply.send(body instanceof Uint8Array ? Buffer.from(body) : Readable.from(body));
}

function readRequest(
  request: FastifyRequest,
  { path }: UrlTarget,
  requestId: string,
  time: number,
): UrlRequest {
  const [rawPath, rawQuery] = splitPath(path);
  const headers = Object.entries(request.raw.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(',') : (value ?? ''),
  ]);
  return {
    requestId,
    method: request.method,
    rawPath,
    rawQuery,
    protocol: `HTTP/${request.raw.httpVersion}`,
    headers: {
      ...Object.fromEntries(headers),
      'x-forwarded-for': request.ip,
      'x-forwarded-proto': request.protocol,
      'x-forwarded-port': String(request.port ?? (request.protocol === 'https' ? 443 : 80)),
    },
    sourceIp: request.ip,
    body: request.body instanceof Uint8Array ? request.body : new Uint8Array(),
    time,
  };
}
