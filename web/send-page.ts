import { once } from 'node:events';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';

import type { FastifyReply, FastifyRequest } from 'fastify';

import { attachment, sentBytes } from '#platform/byte-range.ts';
import { acceptedEncoding, compressedBytesMin, encodeText } from '#platform/content-encoding.ts';
import { passiveContentHeaders, strictTransportSecurity } from '#platform/passive-content.ts';

import { type Asset, shortcutsScript } from './assets.ts';
import { readCookie } from './cookies.ts';
import { type Frame, layout } from './layout.ts';
import {
  type ArchiveResponse,
  contentTypeOf,
  type StreamResponse,
  type WebResponse,
} from './web-response.ts';

/** Gives a response its headers, and a page its frame. */
export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  response: WebResponse,
  frame: Frame,
): Promise<FastifyReply> {
  if (response.kind !== 'bytes' && response.cookies) reply.header('set-cookie', response.cookies);
  switch (response.kind) {
    case 'page': {
      // The frame of a signed-in user's page holds a form: the one that signs out.
      const forms = response.forms ?? (frame.forms ? [] : undefined);
      const shortcuts = frame.shortcuts === true && preference(request, 'shortcuts') !== 'off';
      const script = response.script ?? (shortcuts ? shortcutsScript : undefined);
      reply
        .code(response.status ?? 200)
        .headers({
          ...always,
          'content-security-policy': pagePolicy(forms, script),
          'cache-control': forms ? cacheControl.form : cacheControl.page,
          ...retryAfter(response.retryAfterSeconds),
        })
        .type('text/html; charset=utf-8');
      const preferences = { theme: preference(request, 'theme'), shortcuts };
      const text = Buffer.from(layout({ ...response, script }, frame, preferences).toString());
      if (response.secret) return reply.send(text);
      return sendText(request, reply, text);
    }
    case 'bytes':
      return sendBytes(request, reply, response);
    case 'redirect':
      return reply
        .code(response.status ?? 302)
        .headers({
          ...always,
          ...passiveContentHeaders,
          'cache-control': cacheControl.form,
          location: response.location,
        })
        .send();
  }
}

function preference(
  { headers: { cookie } }: FastifyRequest,
  name: 'theme' | 'shortcuts',
): string | undefined {
  return readCookie(cookie, name, 'https:') ?? readCookie(cookie, name, 'http:');
}

export async function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  response: Omit<WebResponse & { kind: 'bytes' }, 'kind'>,
): Promise<FastifyReply> {
  reply
    .headers({
      ...always,
      ...passiveContentHeaders,
      'cross-origin-resource-policy': response.embedded ? 'cross-origin' : 'same-origin',
      'cache-control': cacheControl[response.lasting ?? 'page'],
      ...(response.image ? imageHeaders : {}),
    })
    .type(response.contentType);
  return response.lasting === 'immutable'
    ? sendText(request, reply, Buffer.from(response.body))
    : reply.send(response.body);
}

/** Server-sent events (HTML, 9.2), as they come. */
export function sendEventStream(reply: FastifyReply, body: Readable): FastifyReply {
  // A proxy that collects what it passes on would keep events back (nginx, X-Accel-Buffering).
  return reply
    .headers({ ...always, ...passiveContentHeaders, 'x-accel-buffering': 'no' })
    .header('cache-control', cacheControl.form)
    .type('text/event-stream')
    .send(body);
}

/** Compressed where the browser takes it. The length of a compressed page reveals a secret on it; form tokens are masked (form-token.ts). */
async function sendText(
  request: FastifyRequest,
  reply: FastifyReply,
  text: Buffer,
): Promise<FastifyReply> {
  reply.header('vary', 'Accept-Encoding, Accept');
  const encoding = acceptedEncoding(request.headers['accept-encoding']);
  if (encoding === undefined || text.length < compressedBytesMin) return reply.send(text);
  return reply.header('content-encoding', encoding).send(await encodeText(text, encoding));
}

/** Sends bytes of a repository as they are read. Their type is decided by the first of them. */
export async function streamPage(
  request: FastifyRequest,
  reply: FastifyReply,
  response: StreamResponse | ArchiveResponse,
  start: (open: () => Promise<Readable>) => Promise<Readable>,
): Promise<FastifyReply> {
  if (response.kind === 'archive') return sendArchive(request, reply, response, start);
  if (response.file) return sendFile(request, reply, { ...response, file: response.file }, start);
  const { bytes, name, open } = response;
  const stream = await start(() => open({ first: 0, last: bytes - 1 }));
  const beginning = await firstOf(stream);
  reply
    .headers({ ...always, ...passiveContentHeaders, 'cache-control': cacheControl.page })
    .header('content-length', bytes)
    .type(contentTypeOf(beginning, name));
  if (request.method !== 'HEAD') return reply.send(stream);
  stream.destroy();
  // The framework gives the length 0 to a response to HEAD without a payload.
  return reply.send(Readable.from([]));
}

/** Sends a file to be saved, whole or in part; its type is not that of a document. */
async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes, file, open }: StreamResponse & { readonly file: { name: string; tag: string } },
  start: (open: () => Promise<Readable>) => Promise<Readable>,
): Promise<FastifyReply> {
  const sent = sentBytes(request.headers, bytes, file.tag);
  reply
    .code(sent.status)
    .headers({ ...always, ...passiveContentHeaders, ...sent.headers })
    .headers({ 'cache-control': cacheControl.page, etag: file.tag })
    .headers({ 'content-disposition': attachment(file.name), 'content-length': sent.length })
    .type('application/octet-stream');
  // The framework gives the length 0 to a response to HEAD without a payload.
  if (request.method === 'HEAD') return reply.send(Readable.from([]));
  return reply.send(await start(() => open(sent.range)));
}

async function sendArchive(
  request: FastifyRequest,
  reply: FastifyReply,
  { name, contentType, open }: ArchiveResponse,
  start: (open: () => Promise<Readable>) => Promise<Readable>,
): Promise<FastifyReply> {
  reply
    .headers({ ...always, ...passiveContentHeaders, 'cache-control': cacheControl.page })
    .header('content-disposition', attachment(name))
    .type(contentType);
  return reply.send(request.method === 'HEAD' ? Readable.from([]) : await start(open));
}

/** The bytes that come first, which stay in the stream. */
async function firstOf(stream: Readable): Promise<Buffer> {
  // One that was given up emits nothing but its end.
  await Promise.race([once(stream, 'readable'), finished(stream)]);
  const chunk: unknown = stream.read();
  if (!Buffer.isBuffer(chunk)) return Buffer.alloc(0);
  stream.unshift(chunk);
  return chunk;
}

/**
 * The Content-Security-Policy: no scripts but those of this server, on pages that have one, which send requests to this server only where they must, and only style and images are loaded,
 * whatever a page contains. Files of users are never sent as scripts (platform/passive-content.ts). Forms may be sent
 * to this server, and redirect to the given origins, because browsers check `form-action` for redirects too.
 */
function pagePolicy(forms: readonly string[] | undefined, script: Asset | undefined): string {
  const targets = forms ? ["'self'", ...forms].join(' ') : "'none'";
  const scripts = script ? "script-src 'self'; " : '';
  const requests = script?.connects ? "connect-src 'self'; " : '';
  return `default-src 'none'; ${scripts}${requests}style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action ${targets}; frame-ancestors 'none'`;
}

const always = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'strict-transport-security': strictTransportSecurity,
} as const;

/** SVG is styled by its own text. What pages embed is not affected by the disposition (RFC 6266). */
const imageHeaders = {
  'content-security-policy':
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
  'content-disposition': 'attachment',
} as const;

/** Browsers must revalidate pages, because access to them can end at any time; avatars and style are public. */
const cacheControl = {
  page: 'private, no-cache',
  hour: 'public, max-age=3600',
  immutable: 'public, max-age=31536000, immutable',
  /** A form's token, or a secret that is shown once. */
  form: 'no-store',
} as const;

function retryAfter(seconds: number | undefined): Record<string, string> {
  return seconds === undefined ? {} : { 'retry-after': String(seconds) };
}
