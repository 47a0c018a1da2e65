import { once } from 'node:events';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';

import type { FastifyReply, FastifyRequest } from 'fastify';

import { passiveContentHeaders } from '#platform/passive-content.ts';

import { formToken, type Session } from '#forge/auth/sessions/session.ts';
import type { Urls } from '#forge/json/urls.ts';
import { layout } from './layout.ts';
import { contentTypeOf, type StreamResponse, type WebResponse } from './web-response.ts';

/** The viewer and URL of a page. */
export interface Viewer {
  readonly urls: Urls;
  readonly session: Session | undefined;
  /** Path and query of the page. */
  readonly address: string;
}

/** Gives a response its headers, and a page its frame. */
export function send(reply: FastifyReply, response: WebResponse, viewer: Viewer): FastifyReply {
  if (response.kind !== 'bytes' && response.cookies) reply.header('set-cookie', response.cookies);
  switch (response.kind) {
    case 'page': {
      const { session } = viewer;
      // The frame of a signed-in user's page holds a form: the one that signs out.
      const forms = response.forms ?? (session ? [] : undefined);
      return reply
        .code(response.status ?? 200)
        .headers({
          ...always,
          'content-security-policy': pagePolicy(forms),
          'cache-control': forms ? cacheControl.form : cacheControl.page,
          ...retryAfter(response.retryAfterSeconds),
        })
        .type('text/html; charset=utf-8')
        .send(
          layout(response.title, response.body, {
            urls: viewer.urls,
            address: viewer.address,
            login: session?.account.login,
            formToken: session && formToken(session.secret),
            head: response.head,
          }).toString(),
        );
    }
    case 'bytes':
      return reply
        .headers({
          ...always,
          ...passiveContentHeaders,
          'cross-origin-resource-policy': response.embedded ? 'cross-origin' : 'same-origin',
          'cache-control': cacheControl[response.lasting ? 'lasting' : 'page'],
        })
        .type(response.contentType)
        .send(response.body);
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

/** Sends bytes of a repository as they are read. Their type is decided by the first of them. */
export async function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes, open }: StreamResponse,
  start: (open: () => Promise<Readable>) => Promise<Readable>,
): Promise<FastifyReply> {
  const stream = await start(open);
  const beginning = await firstOf(stream);
  reply
    .headers({ ...always, ...passiveContentHeaders, 'cache-control': cacheControl.page })
    .header('content-length', bytes)
    .type(contentTypeOf(beginning));
  if (request.method !== 'HEAD') return reply.send(stream);
  stream.destroy();
  // The framework gives the length 0 to a response to HEAD without a payload.
  return reply.send(Readable.from([]));
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
 * The Content-Security-Policy: no scripts, and only style and images are loaded, whatever a page contains. Forms may be sent
 * to this server, and redirect to the given origins, because browsers check `form-action` for redirects too.
 */
function pagePolicy(forms: readonly string[] | undefined): string {
  const targets = forms ? ["'self'", ...forms].join(' ') : "'none'";
  return `default-src 'none'; style-src 'self'; img-src 'self' https: data:; base-uri 'none'; form-action ${targets}; frame-ancestors 'none'`;
}

const always = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
} as const;

/** Browsers must revalidate pages, because access to them can end at any time; avatars and style are public. */
const cacheControl = {
  page: 'private, no-cache',
  lasting: 'public, max-age=3600',
  /** A form's token, or a secret that is shown once. */
  form: 'no-store',
} as const;

function retryAfter(seconds: number | undefined): Record<string, string> {
  return seconds === undefined ? {} : { 'retry-after': String(seconds) };
}
