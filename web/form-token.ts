import { createHash, timingSafeEqual } from 'node:crypto';

import { systemRandom } from '#platform/random.ts';

const tokenBytes = 32;

/**
 * The CSRF token, which proves that a form comes from a page of this server. It is derived from a cookie, which no other site can
 * read; it does not reveal the cookie and is valid as long as it. Each page masks it with random bytes, so that the length of a
 * compressed page reveals nothing about it (the BREACH attack).
 */
export function formToken(secret: string): string {
  const mask = systemRandom.bytes(tokenBytes);
  return Buffer.concat([mask, masked(digestOf(secret), mask)]).toString('base64url');
}

export function isFormToken(secret: string, provided: string): boolean {
  const bytes = Buffer.from(provided, 'base64url');
  if (bytes.length !== 2 * tokenBytes) return false;
  const mask = bytes.subarray(0, tokenBytes);
  return timingSafeEqual(masked(bytes.subarray(tokenBytes), mask), digestOf(secret));
}

function digestOf(secret: string): Buffer {
  return createHash('sha256').update(`form\n${secret}`).digest();
}

function masked(bytes: Buffer, mask: Buffer): Buffer {
  return Buffer.from(bytes.map((byte, index) => byte ^ (mask[index] ?? 0)));
}
