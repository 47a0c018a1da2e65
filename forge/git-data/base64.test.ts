import assert from 'node:assert/strict';
import { test } from 'node:test';

import { decodeBase64, encodeBase64Lines } from './base64.ts';

test('what is no base 64 is not read', () => {
  for (const text of ['a', 'ab!d', 'a=bc', 'YR==', '-_-_', `${'='.repeat(100_000)}x`]) {
    assert.equal(decodeBase64(text), undefined, text.slice(0, 20));
  }
});

test('line breaks and missing padding do no harm', () => {
  for (const text of ['YWJjZA==', 'YWJjZA', 'YWJj\nZA==\n', ' YW Jj\r\nZA=', '']) {
    assert.equal(decodeBase64(text)?.toString(), text === '' ? '' : 'abcd');
  }
});

test('content is laid out in lines of 60 characters, each ended', () => {
  assert.equal(encodeBase64Lines(Buffer.alloc(0)), '');
  assert.equal(encodeBase64Lines(Buffer.from('a')), 'YQ==\n');
  const lines = encodeBase64Lines(Buffer.alloc(100)).split('\n');
  assert.deepEqual(
    lines.map((line) => line.length),
    [60, 60, 16, 0],
  );
  const bytes = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 256));
  assert.deepEqual(decodeBase64(encodeBase64Lines(bytes)), bytes);
});
