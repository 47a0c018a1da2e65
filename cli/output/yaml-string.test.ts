import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as fc from 'fast-check';
import { parse } from 'yaml';

import { yamlString } from './yaml-string.ts';

const inline = { column: 0, indent: 2, folds: false };
const line = (text: string): string => yamlString(text, inline).join('\n');

describe('a text in YAML', () => {
  const texts: readonly (readonly [text: string, written: string])[] = [
    ['plain text', 'plain text'],
    ['', "''"],
    ['true', "'true'"],
    ['1_000', "'1_000'"],
    ['2026-01-02', "'2026-01-02'"],
    ['a: b', "'a: b'"],
    ['a #b', "'a #b'"],
    ['- a', "'- a'"],
    ['{a}', "'{a}'"],
    [' a', "' a'"],
    ["it's", "it's"],
    ["'quoted'", `"'quoted'"`],
    ['a\nb\t"\\', String.raw`"a\nb\t\"\\"`],
    ['\u0007\u001b\u0085\u2028', String.raw`"\a\e\N\L"`],
    ['\u202e', String.raw`"\u202E"`],
  ];
  for (const [text, written] of texts) {
    test(`is written as ${written}`, () => assert.equal(line(text), written));
  }

  test('is folded at the first space behind column 80', () => {
    const long = 'word '.repeat(40).trim();
    const lines = yamlString(long, { column: 6, indent: 2, folds: true });
    assert.ok(lines.length > 1);
    assert.equal(lines.join(' '), long);
    assert.equal(yamlString(long, { column: 6, indent: 2, folds: false }).length, 1);
  });

  test('reads back as it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.boolean(), (text, folds) => {
        const lines = yamlString(text, { column: 5, indent: 2, folds });
        const read: unknown = parse(`key: ${lines.join('\n  ')}\n`, { schema: 'core' });
        assert.deepEqual(read, { key: text });
      }),
    );
  });
});
