import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';

import { createPollingWorker, type DueItem, type PollingWorker } from './polling-worker.ts';
import { DatabaseUnavailableError } from './storage-failure.ts';

describe('work that a storage failure interrupts', () => {
  const unavailable = new DatabaseUnavailableError(new Error('terminated'));
  let calls: string[];
  let due: DueItem[];
  let runFails: boolean;
  let releaseFails: boolean;
  let worker: PollingWorker;

  beforeEach(() => {
    calls = [];
    due = [{ id: 1, group: 'all' }];
    runFails = true;
    releaseFails = false;
    worker = createPollingWorker({
      runningMax: 2,
      async find() {
        calls.push('find');
        return due.splice(0);
      },
      async run({ id }) {
        calls.push(`run ${id}`);
        if (runFails) throw unavailable;
      },
      async release({ id }) {
        calls.push(`release ${id}`);
        if (releaseFails) throw unavailable;
      },
      onError: () => {},
    });
  });

  // A release may compare the server alone: were it later than a claim that this server has made since, it would release that one.
  it('is released before more is claimed', async () => {
    await worker.poll();
    assert.deepEqual(calls, ['find', 'run 1', 'release 1', 'find']);
  });

  it('does not start again before it is released, though it was looked for before it was interrupted', async () => {
    const ended = Promise.withResolvers<void>();
    const found = Promise.withResolvers<void>();
    let polls = 0;
    const done = Promise.withResolvers<void>();
    const started: string[] = [];
    const polling = createPollingWorker<DueItem>({
      runningMax: 2,
      pollMilliseconds: 1,
      async find() {
        polls += 1;
        // It was claimed for less long than the look takes.
        if (polls === 2) {
          ended.reject(unavailable);
          await found.promise;
        }
        return polls <= 3 ? [{ id: 1, group: 'all' }] : [];
      },
      async run() {
        started.push(`run in poll ${polls}`);
        if (polls === 1) await ended.promise;
        else done.resolve();
      },
      async release() {
        started.push(`release in poll ${polls + 1}`);
      },
      onError: () => found.resolve(),
    });
    polling.start();
    await done.promise;
    await polling.close();
    assert.deepEqual(started, ['run in poll 1', 'release in poll 3', 'run in poll 3']);
  });

  it('delays nothing else where its own release fails for another reason', async () => {
    const reported: unknown[] = [];
    const refused = new Error('refused');
    let ran = 0;
    due.push({ id: 2, group: 'all' });
    const other = createPollingWorker<DueItem>({
      runningMax: 2,
      find: async () => due.splice(0),
      async run() {
        ran += 1;
        if (ran <= 2) throw unavailable;
      },
      async release({ id }) {
        if (id === 1) throw refused;
        due.push({ id, group: 'all' });
      },
      onError: (error, id) => reported.push([error, id]),
    });
    await other.poll();
    assert.equal(ran, 3, 'the second one ran again');
    assert.deepEqual(reported.slice(2), [
      [refused, 1],
      [refused, 1],
    ]);
  });

  it('is released before more is claimed, also when that fails first', async () => {
    releaseFails = true;
    await assert.rejects(worker.poll(), DatabaseUnavailableError);
    await assert.rejects(worker.poll(), DatabaseUnavailableError);
    assert.deepEqual(calls, ['find', 'run 1', 'release 1', 'release 1']);
    releaseFails = false;
    runFails = false;
    due.push({ id: 1, group: 'all' });
    await worker.poll();
    assert.deepEqual(calls.slice(4), ['release 1', 'find', 'run 1', 'find']);
  });
});

describe('a worker that polls', () => {
  it('polls once for all items that end in the same turn', async () => {
    const ended = Promise.withResolvers<void>();
    const looked = Promise.withResolvers<void>();
    const capacities: number[] = [];
    const worker = createPollingWorker<DueItem>({
      runningMax: 3,
      pollMilliseconds: 2 ** 31 - 1,
      async find(capacity) {
        capacities.push(capacity);
        if (capacities.length > 1) {
          looked.resolve();
          return [];
        }
        setImmediate(ended.resolve);
        return [1, 2, 3].map((id) => ({ id, group: 'all' }));
      },
      run: () => ended.promise,
      onError(error) {
        throw error;
      },
    });
    worker.start();
    await looked.promise;
    await worker.close();
    assert.deepEqual(capacities, [3, 3]);
  });

  it('starts no more of a group than its limit, and counts once what is found while it is in progress', async () => {
    const ended = Promise.withResolvers<void>();
    const third = Promise.withResolvers<void>();
    const started: number[] = [];
    const due = [1, 2, 3, 4].map((id) => ({ id, group: id === 4 ? 'other' : 'slow' }));
    let polls = 0;
    const worker = createPollingWorker<DueItem>({
      runningMax: 4,
      runningOfOneMax: 2,
      pollMilliseconds: 1,
      async find() {
        polls += 1;
        // The first poll finds one of two that may run, the next ones all: of those in progress the claim seems to have expired.
        if (polls === 3) ended.resolve();
        return polls === 1 ? due.slice(0, 1) : due.filter(({ id }) => polls < 4 || id === 3);
      },
      async run({ id }) {
        started.push(id);
        if (id === 3) third.resolve();
        else await ended.promise;
      },
      onError(error) {
        throw error;
      },
    });
    worker.start();
    await third.promise;
    await worker.close();
    assert.deepEqual(started.slice(0, 4), [1, 2, 4, 3]);
  });
});
