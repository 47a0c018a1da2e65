import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

import type { FastifyRequest } from 'fastify';
import { type Answer, jsonType, type Encoding } from './answer.ts';
/** What is smaller gains nothing by it, and fits one packet as it is. */
const bytesMin = 1000;
/** The others are never compressed; 201 is where a secret can be in an answer. */
const statuses: ReadonlySet<number> = new Set([200, 403, 404]);
/** As fast as gzip's default, and smaller. */
const brotliQuality = 4;

const compress = { br: promisify(brotliCompress), gzip: promisify(gzip) };

/** The answer in the encoding that the request asks for; as it is where it is not worth it, or not JSON. */
export async function compressed(answer: Answer, request: FastifyRequest): Promise<Answer> {
  const { body } = answer;
  if (!body || body.length < bytesMin || !statuses.has(answer.status)) return answer;
  // What goes into a callback is wrapped as text first.
  if (answer.contentType !== jsonType || request.forge.callback !== undefined) return answer;
  const encoding = acceptedEncoding(request.headers['accept-encoding']);
  switch (encoding) {
    case undefined:
      return answer;
    case 'gzip':
      return { ...answer, encoding, body: await compress.gzip(body) };
    case 'br': {
      const params = {
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      };
      return { ...answer, encoding, body: await compress.br(body, { params }) };
    }
  }
}

/** The best encoding that an `Accept-Encoding` header allows (RFC 9110, 12.5.3); undefined: none is wanted. */
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
