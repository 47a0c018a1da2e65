import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { type DiffRow, diffRows, sideBySide } from './diff-rows.ts';

const marked = (row: DiffRow | undefined): string =>
  row && 'parts' in row
    ? row.parts.map(({ text, changed }) => (changed ? `[${text}]` : text)).join('')
    : assert.fail('a line that was neither added nor removed');

describe('the rows of a patch', () => {
  test('have the numbers of both sides', () => {
    const rows = diffRows('@@ -3,3 +5,3 @@ f()\n a\n-b\n+c\n+d\n e\n\\ No newline at end of file');
    assert.deepEqual(
      rows.map((row) => [
        row.kind,
        'left' in row ? row.left : undefined,
        'right' in row ? row.right : undefined,
      ]),
      [
        ['hunk', undefined, undefined],
        ['same', 3, 5],
        ['removed', 4, undefined],
        ['added', undefined, 6],
        ['added', undefined, 7],
        ['same', 5, 8],
        ['note', undefined, undefined],
      ],
    );
  });

  test('mark the words that changed, unless the lines have little in common', () => {
    const [, removed, added] = diffRows(
      '@@ -1 +1 @@\n-const one = first(2);\n+const two = first(2);',
    );
    assert.equal(marked(removed), 'const [one] = first(2);');
    assert.equal(marked(added), 'const [two] = first(2);');
    const [, before, after] = diffRows('@@ -1 +1 @@\n-alpha beta\n+gamma(delta)');
    assert.equal(marked(before), 'alpha beta');
    assert.equal(marked(after), 'gamma(delta)');
  });

  test('mark nothing in lines that are too long, and not more than the budget of the page', () => {
    const long = 'word '.repeat(300);
    const [, removed] = diffRows(`@@ -1 +1 @@\n-${long}a\n+${long}b`);
    assert.equal(marked(removed), `${long}a`);
    const budget = { characters: 60 };
    const patch = '@@ -1 +1 @@\n-same words x\n+same words y';
    const [, first, second] = [1, 2, 3].map(() => marked(diffRows(patch, budget)[1]));
    assert.deepEqual([first, second], ['same words [x]', 'same words x']);
  });

  test('side by side, what was removed is beside what replaced it', () => {
    const rows = sideBySide(
      diffRows('@@ -1,4 +1,3 @@\n a\n-b\n-c\n\\ No newline at end of file\n+d\n e'),
    );
    assert.deepEqual(
      rows.map((row) =>
        row.kind === 'pair' ? [row.left?.left, row.right?.right] : [row.kind, row.kind],
      ),
      [
        ['hunk', 'hunk'],
        ['same', 'same'],
        [2, 2],
        [3, undefined],
        ['note', 'note'],
        ['same', 'same'],
      ],
    );
  });

  test('of whatever text are as many as its lines', () => {
    for (const patch of ['', '-', '+', '@@', '@@ -x +y @@', '\\', 'x\n\ny']) {
      assert.equal(diffRows(patch).length, patch.split('\n').length, patch);
    }
  });
});
