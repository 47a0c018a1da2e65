import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createSchedule, type ScheduledTask } from './schedule.ts';

describe('a schedule', () => {
  const fail = (error: unknown): never => {
    throw error;
  };

  test('runs each task again and again, one at a time', async () => {
    let running = 0;
    const runs = { a: 0, b: 0 };
    const enough = Promise.withResolvers<void>();
    const task = (name: 'a' | 'b'): ScheduledTask => ({
      name,
      everyMilliseconds: 1,
      async run() {
        running += 1;
        assert.equal(running, 1);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        runs[name] += 1;
        if (runs.a > 2 && runs.b > 2) enough.resolve();
      },
    });
    const schedule = createSchedule([task('a'), task('b')], fail);
    // Its timers do not keep a process alive.
    const alive = setInterval(() => {}, 1000);
    schedule.start();
    await enough.promise;
    await schedule.close();
    clearInterval(alive);
    const { a } = runs;
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(runs.a, a);
  });

  test('runs at once what is due when the clock has gone forward', async () => {
    const day = 24 * 60 * 60_000;
    let ran = Promise.withResolvers<void>();
    let runs = 0;
    const task: ScheduledTask = {
      name: 'daily',
      everyMilliseconds: day,
      async run() {
        runs += 1;
        ran.resolve();
      },
    };
    const schedule = createSchedule([task], fail);
    const alive = setInterval(() => {}, 1000);
    schedule.start();
    // The first run comes after five minutes.
    schedule.advance(2 * 60_000);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(runs, 0);
    schedule.advance(3 * 60_000);
    await ran.promise;
    ran = Promise.withResolvers();
    await new Promise((resolve) => setImmediate(resolve));
    schedule.advance(day);
    await ran.promise;
    assert.equal(runs, 2);
    await schedule.close();
    clearInterval(alive);
  });

  test('goes on after a task that failed, and reports its name', async () => {
    const reported: unknown[] = [];
    let runs = 0;
    const twice = Promise.withResolvers<void>();
    const task: ScheduledTask = {
      name: 'failing',
      everyMilliseconds: 1,
      async run() {
        runs += 1;
        if (runs === 2) twice.resolve();
        throw new Error('no');
      },
    };
    const schedule = createSchedule([task], (error, name) => reported.push([String(error), name]));
    const alive = setInterval(() => {}, 1000);
    schedule.start();
    await twice.promise;
    await schedule.close();
    clearInterval(alive);
    assert.deepEqual(reported[0], ['Error: no', 'failing']);
  });

  test('reports to running tasks that the server stops', async () => {
    const started = Promise.withResolvers<void>();
    const task: ScheduledTask = {
      name: 'long',
      everyMilliseconds: 1,
      async run(goesOn) {
        started.resolve();
        while (goesOn()) await new Promise((resolve) => setImmediate(resolve));
      },
    };
    const schedule = createSchedule([task], fail);
    schedule.start();
    const alive = setInterval(() => {}, 1000);
    await started.promise;
    await schedule.close();
    clearInterval(alive);
  });
});
