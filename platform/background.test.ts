import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createBackgroundWork, pauseAfter } from './background.ts';

/** Work that ends on demand. */
function heldWork(): { work: () => Promise<void>; started: () => number; finish: () => void } {
  let started = 0;
  let release: (() => void) | undefined;
  return {
    work: () => {
      started += 1;
      return new Promise((resolve) => {
        release = resolve;
      });
    },
    started: () => started,
    finish: () => release?.(),
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const unexpected = (error: unknown): never => assert.fail(String(error));

describe('background work', () => {
  it('reports work that fails, with its key, and goes on', async () => {
    const failures: string[] = [];
    const background = createBackgroundWork({
      onError: (error, key) => failures.push(`${key}: ${String(error)}`),
      concurrency: 1,
    });
    let ran = false;
    background.run('bad', () => Promise.reject(new Error('no')));
    background.run('good', async () => {
      ran = true;
    });
    await background.idle();
    assert.deepEqual(failures, ['bad: Error: no']);
    assert.equal(ran, true);
  });

  it('tries work that must not stay undone again, whatever it failed with', async () => {
    const failures: string[] = [];
    const background = createBackgroundWork({
      onError: (error) => failures.push(String(error)),
      retryMilliseconds: 1,
    });
    let tries = 0;
    await new Promise<void>((resolve) => {
      const work = async (): Promise<void> => {
        tries += 1;
        if (tries < 4) throw new Error('no thread');
        resolve();
      };
      background.run('a', work, 'always');
    });
    await background.idle();
    assert.equal(tries, 4);
    assert.deepEqual(failures, ['Error: no thread']);
  });

  it('tries work again until it succeeds, and logs the failure once', async () => {
    const failures: string[] = [];
    const background = createBackgroundWork({
      onError: (error) => failures.push(String(error)),
      retryMilliseconds: 1,
    });
    const full = Object.assign(new Error('full'), { code: 'ENOSPC' });
    let tries = 0;
    await new Promise<void>((resolve) => {
      background.run('a', async () => {
        tries += 1;
        if (tries < 4) throw new Error('not written', { cause: full });
        resolve();
      });
    });
    await background.idle();
    assert.equal(tries, 4);
    assert.deepEqual(failures, ['Error: not written']);
  });

  it('waits longer after each failure that is not temporary, up to a minute', () => {
    const pauses = [0, 1, 2, 3, 7, 8, 2000].map((failures) => pauseAfter(failures, 1000));
    assert.deepEqual(pauses, [1000, 1000, 2000, 4000, 60_000, 60_000, 60_000]);
  });

  it('does not try again once it is closed', async () => {
    let tries = 0;
    const background = createBackgroundWork({ onError: () => {}, retryMilliseconds: 1 });
    background.run('a', () => {
      tries += 1;
      return Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }));
    });
    await background.close();
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(tries, 1);
  });

  it('takes no work once it is closed, and finishes what it took', async () => {
    const background = createBackgroundWork({ onError: unexpected, concurrency: 1 });
    const order: string[] = [];
    background.run('a', async () => void order.push('a'));
    background.run('b', async () => void order.push('b'));
    const closed = background.close();
    background.run('c', async () => void order.push('c'));
    await closed;
    assert.deepEqual(order, ['a', 'b']);
  });

  it('closes without work that does not end', async () => {
    const background = createBackgroundWork({ onError: unexpected, closeMilliseconds: 20 });
    const begun = Promise.withResolvers<void>();
    background.run('a', () => {
      begun.resolve();
      return new Promise(() => {});
    });
    await begun.promise;
    await background.close();
  });

  it('does not begin within the turn of its caller', async () => {
    const background = createBackgroundWork({ onError: unexpected });
    let ran = false;
    background.run('a', async () => {
      ran = true;
    });
    assert.equal(ran, false);
    await background.idle();
    assert.equal(ran, true);
  });

  it('runs one key once at a time, and once more when asked meanwhile', async () => {
    const background = createBackgroundWork({ onError: unexpected });
    const held = heldWork();
    background.run('a', held.work);
    await turn();
    for (let requested = 0; requested < 5; requested += 1) background.run('a', held.work);
    assert.equal(held.started(), 1);
    held.finish();
    await turn();
    assert.equal(held.started(), 2);
    held.finish();
    await background.idle();
    assert.equal(held.started(), 2);
  });

  it('runs no more keys at the same time than it may', async () => {
    const background = createBackgroundWork({ onError: unexpected, concurrency: 2 });
    const works = [heldWork(), heldWork(), heldWork()] as const;
    works.forEach((held, index) => background.run(`${index}`, held.work));
    await turn();
    assert.deepEqual(
      works.map((held) => held.started()),
      [1, 1, 0],
    );
    works[1].finish();
    await turn();
    assert.equal(works[2].started(), 1);
    works[0].finish();
    works[2].finish();
    await background.idle();
  });

  it('is idle at once when nothing was asked', async () => {
    await createBackgroundWork({ onError: unexpected }).idle();
  });
});
