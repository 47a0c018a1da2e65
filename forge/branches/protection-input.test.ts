import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { RefusalError } from '../errors/api-error.ts';
import { fittingChecks } from './protection-input.ts';

describe('the required contexts of a branch', () => {
  test('are each one that differs', () => {
    const checks = [
      { context: 'a', appId: null },
      { context: 'a', appId: 1 },
      { context: 'b', appId: null },
      { context: 'a', appId: 1 },
      { context: 'a', appId: null },
    ];
    assert.deepEqual(fittingChecks(checks), checks.slice(0, 3));
  });

  // To compare each with each takes ten seconds, in which nobody is served.
  test('are refused soon where there are too many', () => {
    const many = Array.from({ length: 100_000 }, (_, index) => ({
      context: `${index}`,
      appId: null,
    }));
    const started = performance.now();
    assert.throws(() => fittingChecks(many), RefusalError);
    assert.ok(performance.now() - started < 4000);
  });
});
