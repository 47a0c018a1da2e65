import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isNearLinesMax } from './file-length.ts';

test('a file is near the limit before it is beyond it', () => {
  const near = [294, 295, 300, 301].map((lines) =>
    isNearLinesMax('forge/x.ts', '\n'.repeat(lines)),
  );
  assert.deepEqual(near, [false, true, true, false]);
  assert.ok(!isNearLinesMax('forge/x.test.ts', '\n'.repeat(300)));
});
