import assert from 'node:assert/strict';
import { test } from 'node:test';

import { TaskRuns } from './task-runs.ts';

test('the last run of each task is remembered, also where it failed', async () => {
  const runs = new TaskRuns({ now: () => 7 });
  let fails = true;
  const [task] = runs.observed([
    {
      name: 'packing',
      everyMilliseconds: 1,
      run: () => (fails ? Promise.reject(new Error('no')) : Promise.resolve()),
    },
  ]);
  assert.ok(task);
  assert.deepEqual(runs.list(), [{ name: 'packing', last: undefined }]);
  await assert.rejects(
    task.run(() => true),
    /no/,
  );
  assert.deepEqual(runs.list(), [{ name: 'packing', last: { endedAt: 7, failed: true } }]);
  fails = false;
  await task.run(() => true);
  assert.deepEqual(runs.list(), [{ name: 'packing', last: { endedAt: 7, failed: false } }]);
});
