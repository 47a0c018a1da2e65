import type { FastifyRequest } from 'fastify';

import { acceptedEncoding, compressedBytesMin, encodeText } from '#platform/content-encoding.ts';

import { type HttpResponse, jsonType } from './http-response.ts';

/** Other statuses are never compressed; a 201 may contain a secret, which compression could reveal (BREACH). */
const statuses: ReadonlySet<number> = new Set([200, 403, 404]);

/** Compresses JSON in the encoding that the request accepts; small or other responses are unchanged. */
export async function compressed(
  response: HttpResponse,
  request: FastifyRequest,
): Promise<HttpResponse> {
  const { body } = response;
  if (!body || body.length < compressedBytesMin || !statuses.has(response.status)) return response;
  // A JSONP response is wrapped as text later.
  if (response.contentType !== jsonType || request.forge.callback !== undefined) return response;
  const encoding = acceptedEncoding(request.headers['accept-encoding']);
  if (encoding === undefined) return response;
  return { ...response, encoding, body: await encodeText(body, encoding) };
}
