import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { processesOf, runInProcesses, type TestParts } from './test-processes.ts';

interface Part {
  readonly name: string;
  readonly end: () => void;
}

/** Runs the parts in two processes at a time; each part goes on until the test ends it. */
function startRun(parts: TestParts): {
  readonly running: () => string[];
  readonly end: (name: string) => Promise<void>;
  readonly ended: Promise<void>;
} {
  const running: Part[] = [];
  const ended = runInProcesses(parts, 2, async ([name = '']) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    running.push({ name, end: resolve });
    await promise;
  });
  return {
    running: () => running.map(({ name }) => name).toSorted(),
    async end(name) {
      const index = running.findIndex((part) => part.name === name);
      running.splice(index, 1)[0]?.end();
      // All that follows at once has followed.
      await new Promise((resolve) => setImmediate(resolve));
    },
    ended,
  };
}

const named = (...names: readonly string[]): string[][] => names.map((name) => [name]);

describe('the processes of a test run', () => {
  test('run a part each, in their order', async () => {
    const run = startRun({ computing: named('a', 'b', 'c'), waiting: [] });
    assert.deepEqual(run.running(), ['a', 'b']);
    await run.end('a');
    assert.deepEqual(run.running(), ['b', 'c']);
    await run.end('b');
    await run.end('c');
    await run.ended;
  });

  test('run both kinds at once, and go on with the other when one has ended', async () => {
    const run = startRun({ computing: named('a', 'b'), waiting: named('v', 'w', 'x') });
    assert.deepEqual(run.running(), ['a', 'v']);
    await run.end('a');
    assert.deepEqual(run.running(), ['b', 'v']);
    await run.end('b');
    assert.deepEqual(run.running(), ['v', 'w']);
    await run.end('v');
    assert.deepEqual(run.running(), ['w', 'x']);
    for (const name of ['w', 'x']) await run.end(name);
    await run.ended;
  });

  test('begin no other part after one that could not be run', async () => {
    const started: string[] = [];
    const run = runInProcesses({ computing: named('a', 'b'), waiting: [] }, 1, async (part) => {
      started.push(...part);
      throw new Error('no');
    });
    await assert.rejects(run, /no/);
    assert.deepEqual(started, ['a']);
  });

  test('are two for each processor, and as many as the memory suffices for', () => {
    const gibibyte = 1024 ** 3;
    for (const [processors, memory, processes] of [
      [1, 16, 2],
      [2, 16, 4],
      [8, 16, 10],
      [16, 64, 32],
      [2, 1, 1],
    ] as const)
      assert.equal(processesOf(processors, memory * gibibyte), processes);
  });
});
