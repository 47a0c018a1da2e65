import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { RestartBackoff } from './restart-backoff.ts';

describe('the pause before a process is started again', () => {
  it('is none at first, grows with each death, and has an end', () => {
    const backoff = new RestartBackoff(() => 0);
    const pauses = Array.from({ length: 7 }, () => backoff.failed());
    assert.deepEqual(pauses, [0, 250, 500, 1000, 2000, 2000, 2000]);
  });

  it('is none again once the process has run for five seconds', () => {
    let now = 0;
    const backoff = new RestartBackoff(() => now);
    backoff.failed();
    backoff.failed();
    backoff.started();
    now += 4900;
    assert.equal(backoff.failed(), 500);
    backoff.started();
    now += 5100;
    assert.equal(backoff.failed(), 0);
  });
});
