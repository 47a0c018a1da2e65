import type { Random } from '#platform/random.ts';

/** The prefixes of the ids of long-term keys, and of session keys. */
export const lastingPrefix = 'AKIA';
export const sessionPrefix = 'ASIA';

/** `AKIA` or `ASIA` and 16 letters and digits: what clients check before they sign. */
export function makeAccessKeyId(random: Random, prefix: string): string {
  const letters = Array.from(random.bytes(16), (byte) => alphabet.charAt(byte & 31));
  return prefix + letters.join('');
}

/** 40 characters that carry 240 random bits. */
export function makeSecretAccessKey(random: Random): string {
  return random.bytes(30).toString('base64');
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
