import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseDelimited, separatorOf } from './delimited-text.ts';

const cases: readonly (readonly [about: string, text: string, rows: string[][] | undefined])[] = [
  [
    'rows',
    'a,b\n1,2\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'rows without a last line end',
    'a,b\r\n1,2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  ['quotes, separators and line ends in values', '"a ""b""","c,\nd"\n', [['a "b"', 'c,\nd']]],
  [
    'empty values',
    ',\n"",\na,',
    [
      ['', ''],
      ['', ''],
      ['a', ''],
    ],
  ],
  ['a mark of the byte order', '\uFEFFa,b\n', [['a', 'b']]],
  ['rows of several lengths', 'a\nb,c\n', [['a'], ['b', 'c']]],
  ['a quote that does not end', 'a,"b\n', undefined],
  ['a quote within a value', 'a"b,c\n', undefined],
  ['text after a quoted value', '"a"b\n', undefined],
  ['nothing', '', undefined],
  ['more than a page can show', 'x,'.repeat(20_001), undefined],
];

for (const [about, text, rows] of cases) {
  test(`a table of ${about}`, () => assert.deepEqual(parseDelimited(text, ','), rows));
}

test('values are separated by tabs as well', () => {
  assert.equal(separatorOf('a/B.TSV'), '\t');
  assert.equal(separatorOf('a.csv'), ',');
  assert.equal(separatorOf('csv.txt'), undefined);
  const rows = [
    ['a,b', 'say "c"'],
    ['d', ''],
  ];
  assert.deepEqual(parseDelimited('a,b\tsay "c"\nd\t\n', '\t'), rows);
});

test('a long value that does not end is no table', () => {
  assert.equal(parseDelimited(`"${'a'.repeat(500_000)}`, ','), undefined);
});
