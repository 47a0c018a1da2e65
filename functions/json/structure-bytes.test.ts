import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { structureBytes } from './structure-bytes.ts';

describe('the structure of a JSON text', () => {
  const texts: readonly (readonly [text: string, bytes: number])[] = [
    ['', 0],
    ['[1,2]', 5],
    ['""', 2],
    ['{"name":"value","other":[]}', 13],
    [String.raw`["a\"b",1]`, 6],
    [String.raw`["a\\",1]`, 6],
    [String.raw`["\\\"\\","[[[["]`, 7],
    ['["\u00e4\u{1f600}"]', 4],
    ['["open', 3],
    [String.raw`["open\"`, 3],
  ];
  for (const [text, bytes] of texts) {
    it(`of ${text} has ${bytes} bytes`, () => {
      assert.equal(structureBytes(Buffer.from(text), 100), bytes);
    });
  }

  it('is counted up to a maximum only', () => {
    assert.ok(structureBytes(Buffer.from('"",'.repeat(1_000_000)), 10) < 20);
  });
});
