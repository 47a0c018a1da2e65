import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { startHeartbeat } from './heartbeat.ts';

const times = { intervalMilliseconds: 2, silenceMilliseconds: 10 };
const never = new Promise<never>(() => {});

describe('a heartbeat', { timeout: 60_000 }, () => {
  it('goes on for as long as it is answered or refused, and tells when it is not', async () => {
    let asked = 0;
    await new Promise<void>((resolve) => {
      const answers = [
        async () => {},
        async () => {
          throw new Error('It has ended.');
        },
      ];
      startHeartbeat(() => answers[asked++]?.() ?? never, resolve, times);
    });
    assert.equal(asked, 3);
  });

  it('is ended by what it returns', async () => {
    let asked = 0;
    const end = startHeartbeat(async () => (asked += 1), assert.fail, times);
    end();
    await new Promise<void>((resolve) => {
      startHeartbeat(() => never, resolve, times);
    });
    assert.equal(asked, 0);
  });
});
