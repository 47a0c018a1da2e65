import type { IncomingMessage } from 'node:http';

import { type Reach, requestChecked, TargetError } from '../checked-request.ts';
import { parseImageUrl } from './image-url.ts';

export interface Image {
  readonly contentType: string;
  readonly body: Buffer;
}

/** Why there is no image; the page of its URL says so. */
export class ImageError extends Error {
  override readonly name = 'ImageError';
}

/** Image of another server; larger ones are not shown. */
const imageBytesMax = 5 * 1024 * 1024;
/** Redirects to an image of another server; after more, it is not shown. */
const redirectsMax = 3;
/** Time for an image of another server, redirects included. */
const timeoutMilliseconds = 10_000;

const imageTypes: ReadonlySet<string> = new Set([
  'image/avif',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/svg+xml',
  'image/vnd.microsoft.icon',
  'image/webp',
  'image/x-icon',
]);

const requestHeaders = { accept: 'image/*', 'user-agent': 'hob-image-proxy' } as const;

/**
 * Gets an image without anything of who reads it. Each redirect is checked as the URL was.
 */
export async function fetchImage(url: URL, { refuses, signal }: Reach): Promise<Image> {
  const timeout = AbortSignal.timeout(timeoutMilliseconds);
  const either = AbortSignal.any([signal, timeout]);
  try {
    return await follow(url, { refuses, signal: either });
  } catch (error) {
    if (error instanceof ImageError) throw error;
    if (error instanceof TargetError) throw new ImageError(error.message);
    signal.throwIfAborted();
    throw new ImageError(
      timeout.aborted ? 'Its server did not answer in time.' : 'Its server could not be reached.',
      { cause: error },
    );
  }
}

async function follow(start: URL, fetching: Reach): Promise<Image> {
  let url = start;
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    const response = await requestChecked(url, fetching, { headers: requestHeaders });
    const { statusCode = 0, headers } = response;
    if (statusCode < 300 || statusCode > 399 || headers.location === undefined) {
      return readImage(response);
    }
    response.destroy();
    const next = URL.parse(headers.location, url);
    url = (next && parseImageUrl(next.href)) ?? fail('Its server redirects to no address.');
  }
  return fail('Its server redirects too often.');
}

async function readImage(response: IncomingMessage): Promise<Image> {
  try {
    const { statusCode, headers } = response;
    const contentType = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
    if (statusCode !== 200) return fail(`Its server answered ${statusCode}.`);
    if (!imageTypes.has(contentType)) return fail('Its server sent no image.');
    if (headers['content-encoding'] !== undefined) return fail('Its server sent it encoded.');
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response) {
      if (!Buffer.isBuffer(chunk)) throw new TypeError('a response without an encoding is text');
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > imageBytesMax) return fail('It is too large.');
    }
    return { contentType, body: Buffer.concat(chunks) };
  } finally {
    // What is not read must not keep the connection.
    response.destroy();
  }
}

function fail(message: string): never {
  throw new ImageError(message);
}
