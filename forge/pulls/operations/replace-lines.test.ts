import assert from 'node:assert/strict';
import { test } from 'node:test';

import { replaceLines, type Replacement } from './replace-lines.ts';

const replaced = (text: string | Buffer, ...replacements: Replacement[]): string => {
  const result = replaceLines(Buffer.from(text), replacements);
  return typeof result === 'string' ? result : result.toString('latin1');
};
const second = (after: readonly string[], before = ['two']): Replacement => ({
  first: 2,
  before,
  after,
});

const cases: readonly (readonly [about: string, actual: () => string, expected: string])[] = [
  ['one line', () => replaced('one\ntwo\nthree\n', second(['zwei'])), 'one\nzwei\nthree\n'],
  ['a line by several', () => replaced('one\ntwo\n', second(['a', '', 'b'])), 'one\na\n\nb\n'],
  ['a line by nothing', () => replaced('one\ntwo\nthree\n', second([])), 'one\nthree\n'],
  ['the last line without its end', () => replaced('one\ntwo', second(['zwei'])), 'one\nzwei'],
  ['the last line by nothing', () => replaced('one\ntwo', second([])), 'one\n'],
  [
    'line ends of Windows',
    () => replaced('one\r\ntwo\r\n', second(['a', 'b'])),
    'one\r\na\r\nb\r\n',
  ],
  [
    'line ends of Windows, as a diff shows them',
    () => replaced('one\r\ntwo\r\n', second(['a'], ['two\r'])),
    'one\r\na\r\n',
  ],
  ['lines that differ', () => replaced('one\nzwei\n', second(['a'])), 'different'],
  ['lines that are not there', () => replaced('one\n', second(['a'])), 'different'],
  [
    'lines of one file in any order',
    () =>
      replaced(
        'one\ntwo\nthree\n',
        { first: 1, before: ['one'], after: [] },
        { first: 3, before: ['three'], after: ['c', 'd'] },
      ),
    'two\nc\nd\n',
  ],
  [
    'lines twice',
    () => replaced('one\ntwo\n', second(['a']), { first: 1, before: ['one', 'two'], after: [] }),
    'overlapping',
  ],
  [
    'bytes that are no UTF-8 stay',
    () => replaced(Buffer.from('caf\xe9\ntwo\n', 'latin1'), second(['x'])),
    'caf\xe9\nx\n',
  ],
];

for (const [about, actual, expected] of cases) {
  test(`replaces ${about}`, () => assert.equal(actual(), expected));
}

test('replaces the last of millions of lines at once', () => {
  const content = Buffer.from('a\n'.repeat(4_000_000));
  const before = process.cpuUsage();
  const result = replaceLines(content, [{ first: 4_000_000, before: ['a'], after: ['b'] }]);
  const { user } = process.cpuUsage(before);
  assert.ok(Buffer.isBuffer(result));
  assert.equal(result.subarray(-4).toString(), 'a\nb\n');
  // With a text for each line it is more than a second, and 500 MB.
  assert.ok(user < 300_000, `${user} µs`);
});
