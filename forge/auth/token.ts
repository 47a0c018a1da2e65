import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * A new token: `hob_`, 43 base-62 characters (256 bits) and a checksum with which secret scanners can verify a match.
 * Only its SHA-256 is stored: it is unguessable, so a slow hash would add nothing.
 */
export function makeToken(bytes: Uint8Array): string {
  let value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (let digit = 0; digit < 43; digit += 1) {
    text = alphabet.charAt(Number(value % 62n)) + text;
    value /= 62n;
  }
  return `hob_${text}${checkSum(text)}`;
}

/** Whether a text has the form and the checksum of a token: a password of that form is none. */
export function looksLikeToken(text: string): boolean {
  const [, random, sum] = /^hob_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/.exec(text) ?? [];
  return random !== undefined && sum === checkSum(random);
}

export function sha256(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

function checkSum(text: string): string {
  let value = crc32(text);
  let digits = '';
  for (let digit = 0; digit < 6; digit += 1) {
    digits = alphabet.charAt(value % 62) + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}
