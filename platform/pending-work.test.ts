import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { PendingWork, WorkPendingError } from './pending-work.ts';

describe('pending work', () => {
  it('is done once for a key, however many wait for it', async () => {
    const done: number[] = [];
    const { promise: step, resolve } = Promise.withResolvers<void>();
    const work = new PendingWork();
    work.add(1, async () => {
      await step;
      done.push(1);
    });
    await work.done(2);
    const waiting = [work.done(1), work.done(1)];
    assert.deepEqual(done, []);
    resolve();
    await Promise.all(waiting);
    assert.deepEqual(done, [1]);
    assert.deepEqual([...work.keys()], []);
    await work.done(1);
    assert.deepEqual(done, [1]);
  });

  it('is done at once for a key that a caller waits for', async () => {
    const done: number[] = [];
    const { promise: first, resolve } = Promise.withResolvers<void>();
    const work = new PendingWork();
    for (const key of [1, 2, 3]) {
      work.add(key, async () => {
        if (key === 1) await first;
        done.push(key);
      });
    }
    const all = work.finish(1, (error) => assert.ifError(error));
    await work.done(3);
    assert.deepEqual(done, [3], 'the first is still under way');
    resolve();
    await all;
    assert.deepEqual(done, [3, 1, 2]);
  });

  it('that fails is reported, holds nothing else up, and is tried again', async () => {
    let broken = true;
    const failed: number[] = [];
    const work = new PendingWork();
    work.add(1, async () => {
      if (broken) throw new Error('not now');
    });
    work.add(2, async () => {});
    await work.finish(2, (_error, key) => failed.push(key));
    assert.deepEqual(failed, [1]);
    await work.done(2);
    await assert.rejects(work.done(1), WorkPendingError);
    broken = false;
    await work.done(1);
    assert.deepEqual([...work.keys()], []);
  });

  it('that takes too long keeps a caller waiting for a while only, and goes on', async () => {
    const { promise: step, resolve } = Promise.withResolvers<void>();
    const work = new PendingWork({ waitMilliseconds: 1 });
    let runs = 0;
    work.add(1, async () => {
      runs += 1;
      await step;
    });
    await assert.rejects(work.done(1), WorkPendingError);
    await assert.rejects(work.done(1), WorkPendingError);
    const all = work.finish(1, (error) => assert.ifError(error));
    resolve();
    await all;
    await work.done(1);
    assert.equal(runs, 1);
  });

  it('stays where it is once it must stop', async () => {
    const stop = new AbortController();
    const work = new PendingWork();
    work.add(1, async () => stop.abort());
    work.add(2, () => assert.fail());
    await work.finish(1, (error) => assert.ifError(error), stop.signal);
    assert.deepEqual([...work.keys()], [2]);
  });
});
