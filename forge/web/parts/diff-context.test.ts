import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { type FileLines, newContextBudget, readFileLines, withContext } from './diff-context.ts';
import { type DiffRow, diffRows } from './diff-rows.ts';
import { expectObjectId } from '../../git/names.ts';

/** 100 lines, of which line 30 was changed into two, and line 60 was removed. */
const patch = [
  '@@ -27,7 +27,8 @@ first()',
  ' 27',
  ' 28',
  ' 29',
  '-30',
  '+30a',
  '+30b',
  ' 31',
  ' 32',
  ' 33',
  '@@ -57,7 +58,6 @@ second()',
  ' 57',
  ' 58',
  ' 59',
  '-60',
  ' 61',
  ' 62',
  ' 63',
].join('\n');
const lines = Array.from({ length: 100 }, (_, index) => String(index + 1)).flatMap((line) =>
  line === '30' ? ['30a', '30b'] : line === '60' ? [] : [line],
);
const file: FileLines = { kind: 'lines', lines };

const rows = diffRows(patch);
const hunks = (found: readonly DiffRow[]): unknown[] =>
  found.flatMap((row) =>
    row.kind === 'hunk' ? [[row.text, row.hidden?.from, row.hidden?.to]] : [],
  );
const outside = (found: readonly DiffRow[]): unknown[] =>
  found.flatMap((row) =>
    row.kind === 'same' && row.outside ? [[row.left, row.right, row.text]] : [],
  );
const expanded = (...ranges: readonly (readonly [number, number])[]): DiffRow[] =>
  withContext(
    rows,
    file,
    ranges.map(([from, to]) => ({ from, to })),
    newContextBudget(),
  );

describe('lines around the changes of a file', () => {
  test('are left out before each hunk and at the end', () => {
    const found = expanded();
    assert.deepEqual(hunks(found), [
      ['@@ -27,7 +27,8 @@ first()', 1, 26],
      ['@@ -57,7 +58,6 @@ second()', 35, 57],
      ['', 64, 100],
    ]);
    assert.deepEqual(outside(found), []);
  });

  test('have the numbers of both sides', () => {
    const found = expanded([25, 26], [35, 36], [64, 65]);
    assert.deepEqual(outside(found), [
      [25, 25, '25'],
      [26, 26, '26'],
      [34, 35, '34'],
      [35, 36, '35'],
      [64, 64, '64'],
      [65, 65, '65'],
    ]);
    assert.deepEqual(hunks(found), [
      ['@@ -25,11 +25,12 @@', 1, 24],
      ['@@ -57,9 +58,8 @@ second()', 37, 57],
      ['', 66, 100],
    ]);
  });

  test('join hunks that have nothing between them any more', () => {
    const found = expanded([35, 57], [64, 100]);
    assert.deepEqual(hunks(found), [['@@ -27,74 +27,74 @@ first()', 1, 26]]);
    assert.equal(outside(found).length, 23 + 37);
  });

  test('in the middle of what is left out are a hunk of their own', () => {
    assert.deepEqual(hunks(expanded([40, 41])), [
      ['@@ -27,7 +27,8 @@ first()', 1, 26],
      ['@@ -39,2 +40,2 @@', 35, 39],
      ['@@ -57,7 +58,6 @@ second()', 42, 57],
      ['', 64, 100],
    ]);
  });

  test('are no lines of the patch, nor lines that the file lacks', () => {
    assert.deepEqual(outside(expanded([27, 34], [101, 9_999_999])), []);
    assert.equal(outside(expanded([1, 9_999_999])).length, 26 + 23 + 37);
  });

  test('are as many as a page may have', () => {
    const found = withContext(rows, file, [{ from: 1, to: 100 }], {
      lines: 28,
      urlCharacters: 0,
    });
    assert.equal(outside(found).length, 28);
    assert.deepEqual(hunks(found), [
      ['@@ -1,35 +1,36 @@', undefined, undefined],
      ['@@ -57,7 +58,6 @@ second()', 37, 57],
      ['', 64, 100],
    ]);
  });

  test('of a file that was not read can be asked for', () => {
    assert.deepEqual(hunks(withContext(rows, { kind: 'unread' }, [], newContextBudget())).at(-1), [
      '',
      64,
      undefined,
    ]);
    assert.deepEqual(withContext(rows, { kind: 'none' }, [], newContextBudget()), rows);
  });

  test('end where the file ends', () => {
    const text = ['1', '2', '3', '4'];
    const whole = diffRows('@@ -1,3 +1,4 @@\n+1\n 2\n 3\n 4\n\\ No newline at end of file');
    for (const kind of ['lines', 'none'] as const) {
      const read: FileLines = kind === 'lines' ? { kind, lines: text } : { kind };
      assert.deepEqual(withContext(whole, read, [], newContextBudget()), whole, kind);
    }
  });
});

describe('a file with changes', () => {
  const change = {
    path: 'a.ts',
    previousPath: undefined,
    id: expectObjectId('a'.repeat(40)),
    mode: '100644',
    additions: 1,
    deletions: 1,
    binary: false,
    patch,
    status: 'modified',
  } as const;
  const reads: string[] = [];
  const git = (size: number, type: 'blob' | 'commit' = 'blob') => ({
    objectInfo: async () => ({ type, size }),
    readBlob: async () => {
      reads.push('blob');
      return Buffer.from('1\n2\n\n');
    },
  });

  test('is read for its lines, and for where it ends', async () => {
    const read = { kind: 'lines', lines: ['1', '2', ''] };
    assert.deepEqual(await readFileLines(git(6), change, rows, 'lines'), read);
    assert.deepEqual(await readFileLines(git(6), change, rows, 'count'), read);
  });

  test('is not read where that costs much or tells nothing', async () => {
    reads.length = 0;
    const removed = { ...change, status: 'removed' as const };
    const added = diffRows('@@ -0,0 +1,4 @@\n+1\n+2\n+3\n+4');
    const none = { kind: 'none' };
    assert.deepEqual(await readFileLines(git(6), removed, rows, 'lines'), none);
    assert.deepEqual(await readFileLines(git(6), change, added, 'lines'), none);
    assert.deepEqual(await readFileLines(git(1024 ** 3), change, rows, 'lines'), none);
    assert.deepEqual(await readFileLines(git(6, 'commit'), change, rows, 'lines'), none);
    const unread = { kind: 'unread' };
    assert.deepEqual(await readFileLines(git(6), change, rows, 'nothing'), unread);
    const atEnd = rows.slice(0, -3);
    assert.deepEqual(await readFileLines(git(6), change, atEnd, 'count'), unread);
    assert.deepEqual(reads, []);
  });
});
