import assert from 'node:assert/strict';

/** The bytes of the key on the page that sets up a second factor, as a person types it. */
export function authenticatorKey(page: string): Uint8Array {
  const [, key = ''] = /<code>([A-Z2-7]{32})<\/code>/.exec(page) ?? assert.fail(page);
  const bits = key
    .split('')
    .map((letter) =>
      'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
    )
    .join('');
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}
