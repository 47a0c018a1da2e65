import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { diffLines, hunkDownTo, lineAt, mapLineNumber } from './diff-lines.ts';

const patch = `@@ -1,4 +1,5 @@ start
 one
+one and a half
 two
-three
+THREE
 four
@@ -20,3 +21,2 @@
 twenty
-twenty-one
 twenty-two
\\ No newline at end of file`;

describe('the lines of a diff', () => {
  test('have their position below the first @@ and their numbers on both sides', () => {
    assert.deepEqual(
      diffLines(patch).map((line) => [line.position, line.left, line.right, line.hunk]),
      [
        [1, 1, 1, 0],
        [2, undefined, 2, 0],
        [3, 2, 3, 0],
        [4, 3, undefined, 0],
        [5, undefined, 4, 0],
        [6, 4, 5, 0],
        [8, 20, 21, 1],
        [9, 21, undefined, 1],
        [10, 22, 22, 1],
      ],
    );
    assert.equal(lineAt(diffLines(patch), 'LEFT', 3)?.position, 4);
    assert.equal(lineAt(diffLines(patch), 'RIGHT', 6), undefined);
  });

  test('are shown from their own @@ on', () => {
    assert.equal(hunkDownTo(patch, 2), '@@ -1,4 +1,5 @@ start\n one\n+one and a half');
    assert.equal(hunkDownTo(patch, 9), '@@ -20,3 +21,2 @@\n twenty\n-twenty-one');
  });

  test('are mapped to the file after it', () => {
    const expected: [number, number | undefined][] = [
      [1, 1],
      [2, 3],
      [3, undefined],
      [4, 5],
      [5, 6],
      [19, 20],
      [21, undefined],
      [22, 22],
      [99, 99],
    ];
    for (const [before, after] of expected)
      assert.equal(mapLineNumber(patch, before), after, `${before}`);
    assert.equal(mapLineNumber('@@ -0,0 +1,2 @@\n+a\n+b', 1), 3, 'put before all');
    assert.equal(mapLineNumber('@@ -3,0 +4,2 @@\n+a\n+b', 3), 3, 'put right behind');
    assert.equal(mapLineNumber('@@ -3,0 +4,2 @@\n+a\n+b', 4), 6);
  });
});
