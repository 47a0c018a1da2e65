import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { startHeartbeat } from './heartbeat.ts';

const times = { intervalMilliseconds: 2, silenceMilliseconds: 10 };
const never = new Promise<never>(() => {});

describe('a heartbeat', { timeout: 60_000 }, () => {
  it('goes on while it gets responses or errors, and reports when it gets none', async () => {
    let requested = 0;
    await new Promise<void>((resolve) => {
      const responses = [
        async () => {},
        async () => {
          throw new Error('It has ended.');
        },
      ];
      startHeartbeat(() => responses[requested++]?.() ?? never, resolve, times);
    });
    assert.equal(requested, 3);
  });

  it('is ended by what it returns', async () => {
    let requested = 0;
    const end = startHeartbeat(async () => (requested += 1), assert.fail, times);
    end();
    await new Promise<void>((resolve) => {
      startHeartbeat(() => never, resolve, times);
    });
    assert.equal(requested, 0);
  });
});
