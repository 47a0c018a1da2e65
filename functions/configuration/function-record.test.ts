import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import {
  creating,
  isRestoring,
  readVersionName,
  restoring,
  versionName,
  versionNumberOf,
} from './function-record.ts';

describe('the number of a version', () => {
  test('is 0 for $LATEST, and reads back', () => {
    for (const [number, version] of [
      [0, '$LATEST'],
      [1, '1'],
      [42, '42'],
    ] as const) {
      assert.equal(versionName(number), version);
      assert.equal(versionNumberOf({ version }), number);
      assert.equal(readVersionName(version), number);
    }
  });

  test('is 0 for the name of the unpublished version where published ones are meant', () => {
    assert.equal(readVersionName('$LATEST.PUBLISHED'), 0);
  });

  test('is none for a name that no version has', () => {
    const none = ['0', '-1', '1.0', '1.5', '1e1', ' 1', 'live', '99999999999999999999', ''];
    for (const name of [...none, '$LATESTX', '$LATEST$', '$latest']) {
      assert.equal(readVersionName(name), -1, name);
    }
  });
});

test('a version is restored while it is Pending for that reason', () => {
  assert.ok(isRestoring({ state: { value: 'Pending', reason: restoring } }));
  assert.ok(!isRestoring({ state: { value: 'Pending', reason: creating } }));
  assert.ok(!isRestoring({ state: { value: 'Active' } }));
});
