import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';

import { createLog } from '#platform/log.ts';
import { DatabaseUnavailableError } from '#platform/storage-failure.ts';

import { serveWhileAvailable } from './serve-while-available.ts';

describe('a node that cannot run functions', () => {
  let calls: string[];
  let isAvailable: boolean;
  let othersServe: boolean;
  let fails: boolean;
  let serves: boolean;
  let end: () => Promise<void>;

  beforeEach(() => {
    mock.timers.enable({ apis: ['setInterval'] });
    calls = [];
    isAvailable = true;
    othersServe = true;
    fails = false;
    serves = true;
    const call = (name: string, to: boolean) => async (): Promise<void> => {
      calls.push(name);
      if (fails) throw new DatabaseUnavailableError(new Error('It is away.'));
      serves = to;
    };
    end = serveWhileAvailable(
      {
        serve: call('serve', true),
        drain: call('drain', false),
        isServing: () => serves,
        othersServe: () => othersServe,
      },
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

  it('stays for some checks after it came back alone, so that two do not leave in turn', async () => {
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

  it('stops although the database is away', async () => {
    fails = true;
    await end();
    assert.deepEqual(calls, ['drain']);
  });

  it('gets nothing more when it stops', async () => {
    await end();
    await end();
    isAvailable = false;
    await second();
    assert.deepEqual(calls, ['drain']);
  });

  it('leaves another such node for a moment only, and one of them takes requests in the end', async () => {
    await end();
    const serving = [true, true];
    // What each has seen at its last look.
    let seen = [...serving];
    const ends = [0, 1].map((self) =>
      serveWhileAvailable(
        {
          serve: async () => void (serving[self] = true),
          drain: async () => void (serving[self] = false),
          isServing: () => serving[self] === true,
          othersServe: () => seen[1 - self] === true,
        },
        () => false,
        createLog('silent', () => {}),
        1000,
      ),
    );
    let without = 0;
    let both = 0;
    for (let at = 0; at < 300; at += 1) {
      await second();
      seen = [...serving];
      if (!serving.includes(true)) without += 1;
      if (!serving.includes(false)) both = at;
    }
    // They look at the same time here: once, and again each time that both stay equally long.
    assert.ok(without >= 1 && without <= 5, `${without} seconds without a node`);
    assert.ok(both < 200 && serving.includes(true), 'one of them has left, the other serves');
    for (const each of ends) await each();
  });
});
