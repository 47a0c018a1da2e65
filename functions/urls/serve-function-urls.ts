import { Readable } from 'node:stream';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { invokeRequestBytesMax } from '#functions-contract/limits.ts';
import { invoke } from '#functions-contract/operations/functions.ts';

import { answerRefusals } from '../conventions/answer-refusals.ts';
import { noSuchResource } from '../conventions/no-such-resource.ts';
import type { FunctionPorts } from '../ports.ts';
import { answerRequest, type UrlAnswer } from './answer-request.ts';
import { checkAccess } from './check-access.ts';
import { answerHeaders, preflightHeaders, readPreflight } from './cors-headers.ts';
import { httpEvent, type UrlRequest } from './http-event.ts';
import { readUrlTarget, urlPath, type UrlTarget } from './url-address.ts';
import { findUrlById } from './url-store.ts';

/** Answers requests at the addresses of functions. They are the functions' own: every method and path is taken. */
export function serveFunctionUrls(server: FastifyInstance, ports: FunctionPorts): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  answerRefusals(server);
  // What is asked for here is an invocation, and refused in the words of one.
  const options = { bodyLimit: invokeRequestBytesMax, config: { operation: invoke } };
  server.all(`${urlPath}:urlId`, options, async (request, reply) => {
    const target = readUrlTarget(request.originalUrl, request.headers.host);
    if (!target) throw noSuchResource();
    return answer(ports, target, request, reply);
  });
}

async function answer(
  ports: FunctionPorts,
  target: UrlTarget,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { database, random, clock } = ports;
  const requestId = random.id();
  reply.header('x-amzn-requestid', requestId);
  const url = await database.read((sql) => findUrlById(sql, target.urlId));
  if (!url) throw noSuchResource();
  const read = readRequest(request, target, requestId, clock.now());
  const preflight = url.cors && readPreflight(read.method, read.headers);
  if (url.cors && preflight) {
    return reply.code(200).headers(preflightHeaders(url.cors, preflight)).send();
  }
  const head = {
    method: read.method,
    // As the client signed it, before the host became a path.
    target: request.originalUrl,
    rawHeaders: request.raw.rawHeaders,
  };
  const principal = await checkAccess(ports, url, head, read.body);
  const event = httpEvent(read, url, principal, read.headers['host'] ?? '');
  const traceHeader = read.headers['x-amzn-trace-id'];
  const answered = await answerRequest(ports, url, requestId, event, traceHeader);
  if (url.cors) reply.headers(answerHeaders(url.cors, read.headers['origin']));
  return send(reply, answered, url.cors !== undefined);
}

/** What the address says of other origins counts, not what the function says. */
function send(reply: FastifyReply, answered: UrlAnswer, ownCors: boolean): FastifyReply {
  for (const [name, value] of Object.entries(answered.headers)) {
    if (hopHeaders.has(name) || (ownCors && name.startsWith('access-control-'))) continue;
    reply.header(name, value);
  }
  if (answered.cookies.length > 0) reply.header('set-cookie', [...answered.cookies]);
  const { body } = answered;
  return reply
    .code(answered.status)
    .send(body instanceof Uint8Array ? Buffer.from(body) : Readable.from(body));
}

/** These are between this server and its client, whatever a function answers. */
const hopHeaders = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding']);

function readRequest(
  request: FastifyRequest,
  { path }: UrlTarget,
  requestId: string,
  time: number,
): UrlRequest {
  const [rawPath = '', rawQuery = ''] = splitOnce(path, '?');
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
      'x-forwarded-port': String(request.port),
    },
    sourceIp: request.ip,
    body: request.body instanceof Uint8Array ? request.body : new Uint8Array(),
    time,
  };
}

function splitOnce(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
