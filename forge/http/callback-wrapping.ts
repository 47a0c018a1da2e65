import type { FastifyRequest } from 'fastify';

import { refuse } from '../errors/api-error.ts';

/** Name of a callback. */
const nameCharactersMax = 64;
const callbackName = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/;

/** The callback of a request (docs/specification/forge.md 7.3); undefined if it has none, or one with a name that `refuseWrongCallback` refuses. */
export function readCallback(request: FastifyRequest): string | undefined {
  const name = namedCallback(request);
  return name !== undefined && isCallback(name) ? name : undefined;
}

/** Refuses names that are not a plain path of identifiers. */
export function refuseWrongCallback(request: FastifyRequest): void {
  const name = namedCallback(request);
  if (name === undefined || isCallback(name)) return;
  refuse({
    kind: 'malformed-request',
    message: 'The callback must be a JavaScript identifier or a dotted path of identifiers.',
  });
}

/** The callback that a request to read asks for, whatever its name is. The router has parsed no query of a path that it does not know. */
function namedCallback({ method, query, raw }: FastifyRequest): string | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const { url = '' } = raw;
  const parsed =
    query instanceof URLSearchParams ? query : new URLSearchParams(/\?.*/s.exec(url)?.[0]);
  return parsed.get('callback') ?? undefined;
}

function isCallback(name: string): boolean {
  return name.length <= nameCharactersMax && callbackName.test(name);
}

/**
 * The response as a function call (JSONP): the status and relevant headers go into `meta`, because a script cannot see them.
 * The comment in front prevents interpretation as anything but a script. `<` could end an inline script element, and before
 * ECMAScript 2019 the two separators ended a line within a string. All three occur in strings only.
 */
export function wrapInCallback(
  name: string,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): string {
  const meta: Record<string, unknown> = { status };
  for (const [header, value] of Object.entries(headers)) {
    const title = metaName(header);
    if (title !== undefined) meta[title] = header === 'link' ? parseLinks(value) : value;
  }
  const call = `/**/${name}({"meta":${JSON.stringify(meta)},"data":${body === '' ? '{}' : body}})`;
  return call.replaceAll(/[<\u2028\u2029]/g, (character) => escapes[character] ?? character);
}

const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

function metaName(header: string): string | undefined {
  if (header.startsWith('x-ratelimit-')) {
    return `X-RateLimit-${capitalized(header.slice('x-ratelimit-'.length))}`;
  }
  if (header === 'etag') return 'ETag';
  const shown = header === 'link' || header === 'cache-control' || header === 'last-modified';
  const mediaType = header.endsWith('-media-type');
  return shown || mediaType || header === 'location'
    ? header.split('-').map(capitalized).join('-')
    : undefined;
}

function capitalized(word: string): string {
  return word === 'github' ? 'GitHub' : word.charAt(0).toUpperCase() + word.slice(1);
}

/** `<url>; rel="next"` entries as pairs of the URL and its options. */
function parseLinks(header: string): [string, Record<string, string>][] {
  return [...header.matchAll(/<([^>]*)>; rel="([^"]*)"/g)].map((match) => [
    match[1] ?? '',
    { rel: match[2] ?? '' },
  ]);
}
