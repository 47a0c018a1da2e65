import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';

import { createLog } from '#platform/log.ts';
import { DatabaseUnavailableError } from '#platform/storage-failure.ts';

import { NodeClock } from './node-clock.ts';
import { NodeLease } from './node-lease.ts';

const log = createLog('silent');

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the lease of a node whose database is away', () => {
  let writes = 0;
  let losses = 0;
  let answer: Promise<void> = Promise.resolve();
  beforeEach(() => {
    mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
    writes = 0;
    losses = 0;
    answer = Promise.resolve();
  });
  afterEach(() => mock.timers.reset());

  /** Renewed before a renewal that failed is tried again. */
  function lease(): NodeLease {
    const node = {
      serverId: 'a',
      name: 'a.test',
      address: 'a.test:1',
      version: '1',
      incarnation: 'of a',
    };
    return new NodeLease(
      {
        database: {
          async write() {
            writes += 1;
            await answer;
            throw new DatabaseUnavailableError(new Error('It is away.'));
          },
        },
        node,
        log,
        onLost: () => (losses += 1),
        renewMilliseconds: 200,
      },
      new NodeClock({ log }),
    );
  }

  async function pass(milliseconds: number): Promise<void> {
    mock.timers.tick(milliseconds);
    await turn();
  }

  it('is renewed no more once it has ended', async () => {
    const held = lease();
    held.begin(performance.now());
    await pass(200);
    await pass(200);
    assert.deepEqual([writes, held.failures], [2, 2]);
    await held.end();
    await pass(1000);
    assert.equal(writes, 2);
  });

  it('is renewed no more once it is lost', async () => {
    const answered = Promise.withResolvers<void>();
    answer = answered.promise;
    const held = lease();
    held.begin(performance.now() - 3_600_000);
    await pass(200);
    await pass(50);
    assert.deepEqual([writes, losses], [1, 1]);
    answered.resolve();
    await turn();
    await pass(1000);
    assert.deepEqual([writes, losses], [1, 1]);
    await held.end();
  });
});
