import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { runInSlots, type TestParts } from './test-slots.ts';

interface Part {
  readonly name: string;
  readonly end: () => void;
}

/** Runs the parts in two slots; each goes on until the test ends it. */
function startRun(parts: TestParts): {
  readonly running: () => string[];
  readonly end: (name: string) => Promise<void>;
  readonly ended: Promise<void>;
} {
  const running: Part[] = [];
  const ended = runInSlots(parts, 2, async ([name = '']) => {
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

describe('the slots of a test run', () => {
  test('run one part each that computes', async () => {
    const run = startRun({ computing: named('a', 'b', 'c'), waiting: [] });
    // Those for waiting parts have found none.
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(run.running(), ['a', 'b']);
    await run.end('a');
    assert.deepEqual(run.running(), ['b', 'c']);
    await run.end('b');
    await run.end('c');
    await run.ended;
  });

  test('run two parts each that wait', async () => {
    const run = startRun({ computing: [], waiting: named('a', 'b', 'c', 'd', 'e') });
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(run.running(), ['a', 'b', 'c', 'd']);
    await run.end('d');
    assert.deepEqual(run.running(), ['a', 'b', 'c', 'e']);
    for (const name of ['a', 'b', 'c', 'e']) await run.end(name);
    await run.ended;
  });

  test('run both kinds at once, and go on with the other when one has ended', async () => {
    const run = startRun({ computing: named('a', 'b'), waiting: named('v', 'w', 'x', 'y') });
    assert.deepEqual(run.running(), ['a', 'v', 'w']);
    await run.end('a');
    assert.deepEqual(run.running(), ['b', 'v', 'w']);
    await run.end('b');
    assert.deepEqual(run.running(), ['v', 'w', 'x', 'y']);
    for (const name of ['v', 'w', 'x', 'y']) await run.end(name);
    await run.ended;
  });

  test('begin no other part after one that could not be run', async () => {
    const begun: string[] = [];
    const run = runInSlots({ computing: named('a', 'b'), waiting: [] }, 1, async (part) => {
      begun.push(...part);
      throw new Error('no');
    });
    await assert.rejects(run, /no/);
    assert.deepEqual(begun, ['a']);
  });
});
