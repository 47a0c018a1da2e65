import type { IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import { isIP } from 'node:net';

import { request as requestPlain } from '#platform/node-http.ts';

import { addressesOf } from '../private-target.ts';
import { parseImageUrl } from './image-address.ts';

export interface Image {
  readonly contentType: string;
  readonly body: Buffer;
}

/** Why there is no image; the page of its address says so. */
export class ImageError extends Error {
  override readonly name = 'ImageError';
}

/** Larger images are not shown. */
const imageBytesMax = 5 * 1024 * 1024;
const redirectsMax = 3;
/** For all of it, redirects included. */
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

export interface ImageFetch {
  /** Whether nothing may come from an IP address. */
  readonly refuses: (address: string) => boolean;
  /** Aborts the request when the server stops. */
  readonly signal: AbortSignal;
}

/**
 * Gets an image without anything of who reads it. Each redirect is checked as the address was, and each connection uses the IP address that
 * was checked, so that DNS rebinding cannot reach private networks.
 */
export async function fetchImage(url: URL, { refuses, signal }: ImageFetch): Promise<Image> {
  const timeout = AbortSignal.timeout(timeoutMilliseconds);
  const either = AbortSignal.any([signal, timeout]);
  try {
    return await follow(url, { refuses, signal: either });
  } catch (error) {
    if (error instanceof ImageError) throw error;
    signal.throwIfAborted();
    throw new ImageError(
      timeout.aborted ? 'Its server did not answer in time.' : 'Its server could not be reached.',
      { cause: error },
    );
  }
}

async function follow(start: URL, fetching: ImageFetch): Promise<Image> {
  let url = start;
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    const response = await ask(url, fetching);
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

async function ask(url: URL, { refuses, signal }: ImageFetch): Promise<IncomingMessage> {
  const addresses = await addressesOf(url);
  const [address] = addresses;
  if (address === undefined) return fail('Its server has no address.');
  if (addresses.some((each) => refuses(each))) {
    return fail('It is on a loopback or private address.');
  }
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestSecure : requestPlain;
    const sent = request(
      url,
      {
        headers: { accept: 'image/*', 'user-agent': 'hob-image-proxy' },
        signal,
        agent: false,
        lookup: (_host, options, found) => {
          const family = isIP(address);
          if (options.all === true) found(null, [{ address, family }]);
          else found(null, address, family);
        },
      },
      resolve,
    );
    sent.on('error', reject);
    sent.end();
  });
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
