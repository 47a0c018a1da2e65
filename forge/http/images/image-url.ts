import { createHmac, timingSafeEqual } from 'node:crypto';

import type { Ports } from '../../ports/ports.ts';

/** Where images of other servers are on this one. */
export const imagesPath = '/-/image';

type Keys = Pick<Ports['sealing'], 'derive' | 'deriveFrom'>;

/** The URL on this server for an image of another one; undefined for what is no URL of an image. */
export type SignImageUrl = (imageUrl: string) => string | undefined;

/** URL of an image of another server; a longer one stays a link. */
const urlCharactersMax = 2048;

const purpose = 'image proxy';

/**
 * Signs URLs of images, so that this server fetches only what a text on it names. The same image has the same URL in every text,
 * which browsers then have already.
 */
export function createSignImageUrl(keys: Keys): SignImageUrl {
  let signing: ReturnType<Keys['derive']> | undefined;
  return (imageUrl) => {
    const url = parseImageUrl(imageUrl);
    if (!url) return undefined;
    // Only pages with such images read the key.
    signing ??= keys.derive(purpose);
    const signature = signatureOf(url.href, signing.key).toString('hex');
    return `${imagesPath}/${signing.name}-${signature}/${Buffer.from(url.href).toString('base64url')}`;
  };
}

/** The signed URL; undefined if this server has not signed it, or with a key that is replaced since. */
export function readImageUrl(
  keys: Keys,
  { signature, encoded }: { readonly signature: string; readonly encoded: string },
): URL | undefined {
  const [, name = '', hex = ''] = /^([\w.]{1,64})-([0-9a-f]{64})$/.exec(signature) ?? [];
  const key = name === '' ? undefined : keys.deriveFrom(name, purpose);
  const imageUrl = Buffer.from(encoded, 'base64url').toString();
  if (!key || !timingSafeEqual(signatureOf(imageUrl, key), Buffer.from(hex, 'hex')))
    return undefined;
  return parseImageUrl(imageUrl);
}

/** A URL on another server, by HTTP, without credentials. */
export function parseImageUrl(imageUrl: string): URL | undefined {
  if (imageUrl.length > urlCharactersMax || !/^(?:https?:)?\/\//i.test(imageUrl)) {
    return undefined;
  }
  const url = URL.parse(imageUrl, 'https://image.invalid');
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === 'image.invalid') return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  url.hash = '';
  return url.href.length > urlCharactersMax ? undefined : url;
}

function signatureOf(imageUrl: string, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update(imageUrl).digest();
}
