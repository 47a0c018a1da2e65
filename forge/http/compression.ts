import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

import type { FastifyRequest } from 'fastify';
import { type HttpResponse, jsonType, type Encoding } from './http-response.ts';
/** Smaller bodies fit into one packet uncompressed. */
const bytesMin = 1000;
/** Other statuses are never compressed; a 201 may contain a secret, which compression could reveal (BREACH). */
const statuses: ReadonlySet<number> = new Set([200, 403, 404]);
/** As fast as gzip's default, and smaller. */
const brotliQuality = 4;

const compress = { br: promisify(brotliCompress), gzip: promisify(gzip) };

/** Compresses JSON in the encoding that the request accepts; small or other responses are unchanged. */
export async function compressed(
  response: HttpResponse,
  request: FastifyRequest,
): Promise<HttpResponse> {
  const { body } = response;
  if (!body || body.length < bytesMin || !statuses.has(response.status)) return response;
  // A JSONP response is wrapped as text later.
  if (response.contentType !== jsonType || request.forge.callback !== undefined) return response;
  const encoding = acceptedEncoding(request.headers['accept-encoding']);
  switch (encoding) {
    case undefined:
      return response;
    case 'gzip':
      return { ...response, encoding, body: await compress.gzip(body) };
    case 'br': {
      const params = {
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      };
      return { ...response, encoding, body: await compress.br(body, { params }) };
    }
  }
}

/** The best encoding that an `Accept-Encoding` header allows (RFC 9110, 12.5.3); undefined if none is. */
export function acceptedEncoding(header: string | string[] | undefined): Encoding | undefined {
  if (header === undefined) return undefined;
  const weights = new Map(String(header).toLowerCase().split(',').map(parseItem));
  const weight = (name: string): number => weights.get(name) ?? weights.get('*') ?? 0;
  const best = weight('br') >= weight('gzip') ? 'br' : 'gzip';
  return weight(best) > 0 && weight(best) >= (weights.get('identity') ?? 0) ? best : undefined;
}

function parseItem(item: string): [string, number] {
  const match = /^\s*([^\s;]+)\s*(?:;\s*q=(\d(?:\.\d{0,3})?)\s*)?$/.exec(item);
  return [match?.[1] ?? '', match?.[2] === undefined ? 1 : Number(match[2])];
}
