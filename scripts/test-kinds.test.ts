import assert from 'node:assert/strict';
import { test } from 'node:test';

import { keepsToDisk } from './test-kinds.ts';

test('faults, kills and crashes keep to the disk, and no other tests', () => {
  const files = [
    'faults/faults.test.ts',
    'scenarios/kill.scenario.test.ts',
    'scenarios/functions-crash.scenario.test.ts',
    'scenarios/backup.scenario.test.ts',
    'platform/kill-group.test.ts',
  ];
  assert.deepEqual(files.filter(keepsToDisk), files.slice(0, 3));
});
