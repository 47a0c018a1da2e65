import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { describe, it } from 'node:test';

import { listen } from './listener.ts';

describe('a port that is given up', () => {
  it('ends what does not end in time', async () => {
    const listener = await listen('127.0.0.1', 0);
    const started = new Promise<void>((resolve) => listener.handleWith(() => resolve()));
    const sent = get(`http://127.0.0.1:${listener.port}/`);
    const ended = once(sent, 'response').catch((error: unknown) => error);
    await started;
    await listener.close({ delayMilliseconds: 0, drainMilliseconds: 20 });
    assert.equal(Object(await ended).code, 'ECONNRESET');
  });
});
