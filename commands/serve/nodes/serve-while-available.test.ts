import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';

import { createLog } from '#platform/log.ts';

import { serveWhileAvailable } from './serve-while-available.ts';

describe('a node that cannot run functions', () => {
  let calls: string[];
  let isAvailable: boolean;
  let othersServe: boolean;
  let fails: boolean;
  let end: () => Promise<void>;

  beforeEach(() => {
    mock.timers.enable({ apis: ['setInterval'] });
    calls = [];
    isAvailable = true;
    othersServe = true;
    fails = false;
    const call = (name: string) => async (): Promise<void> => {
      calls.push(name);
      if (fails) throw new Error('The database cannot be reached.');
    };
    end = serveWhileAvailable(
      { serve: call('serve'), drain: call('drain'), othersServe: () => othersServe },
      () => isAvailable,
      createLog('silent', () => {}),
      1000,
    );
  });
  afterEach(() => mock.timers.reset());

  const second = async (): Promise<void> => {
    mock.timers.tick(1000);
    await new Promise((resolve) => setImmediate(resolve));
  };

  it('gives them to the others once, and gets them back when it can', async () => {
    await second();
    assert.deepEqual(calls, []);
    isAvailable = false;
    await second();
    await second();
    assert.deepEqual(calls, ['drain']);
    isAvailable = true;
    await second();
    await second();
    assert.deepEqual(calls, ['drain', 'serve']);
    await end();
  });

  it('goes on while no other node takes requests, and again when the last one goes', async () => {
    isAvailable = false;
    othersServe = false;
    await second();
    assert.deepEqual(calls, []);
    othersServe = true;
    await second();
    assert.deepEqual(calls, ['drain']);
    othersServe = false;
    await second();
    assert.deepEqual(calls, ['drain', 'serve']);
    await end();
  });

  it('stays for some looks after it came back alone, so that two do not leave in turn', async () => {
    isAvailable = false;
    await second();
    othersServe = false;
    await second();
    assert.deepEqual(calls, ['drain', 'serve']);
    othersServe = true;
    await second();
    assert.deepEqual(calls, ['drain', 'serve']);
    for (let look = 0; look < 30; look += 1) await second();
    assert.deepEqual(calls, ['drain', 'serve', 'drain']);
    await end();
  });

  it('tries again when the database does not take it', async () => {
    isAvailable = false;
    fails = true;
    await second();
    fails = false;
    await second();
    await second();
    assert.deepEqual(calls, ['drain', 'drain']);
    await end();
  });

  it('gets nothing more when it stops', async () => {
    await end();
    await end();
    isAvailable = false;
    await second();
    assert.deepEqual(calls, ['drain']);
  });
});
