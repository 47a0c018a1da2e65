import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { execute, parse } from 'graphql';

import { createSchema } from './executable-schema.ts';
import { createLimits, type ExecutionLimits } from './limits.ts';
import { createLoader } from './loader.ts';
import { createSlots } from './slots.ts';

const types = `
schema { query: Query mutation: Mutation }
type Query { text: String soon: String fails: String things: [Thing!]! }
type Thing { text: String! fails: String! }
type Mutation { one: String two: String }`;

describe('the limits of an execution', () => {
  const called: string[] = [];
  const schema = createSchema<{ limits: ExecutionLimits }>(types, {
    Query: {
      text: () => called.push('text') && 'x'.repeat(1024),
      soon: async () => 'x'.repeat(40 * 1024 * 1024),
      fails: async () => {
        throw new Error('on purpose');
      },
      things: () => Array.from({ length: 50 }, () => ({})),
    },
    Thing: {
      text: () => 'x',
      fails: async () => {
        throw new Error('on purpose');
      },
    },
    Mutation: {
      one: async () => called.push('one') && 'x'.repeat(70 * 1024 * 1024),
      two: async () => called.push('two') && 'done',
    },
  });

  const run = async (query: string, limits = createLimits()): Promise<ExecutionLimits> => {
    const exceeded = new Promise<void>((resolve) => limits.onExceeded(resolve));
    const running = execute({ schema, document: parse(query), contextValue: { limits } });
    await Promise.race([running, exceeded]);
    // What was started settles, or never does, without an unhandled rejection, which would end the process.
    await new Promise((resolve) => setImmediate(resolve));
    return limits;
  };

  test('end an execution without errors of what is left of it', async () => {
    called.length = 0;
    const many = Array.from({ length: 300 }, (_, index) => `f${index}: fails`);
    assert.equal((await run(`{ ${many.join(' ')} things { text fails } }`)).exceeded(), true);
    let now = 0;
    const late = createLimits(() => now);
    now = 60_000;
    assert.equal((await run('{ a: text b: text }', late)).exceeded(), true);
    assert.deepEqual(called, ['text']);
  });

  test('count what comes later, as what is there at once', async () => {
    assert.equal((await run('{ a: soon }')).exceeded(), false);
    assert.equal((await run('{ a: soon b: soon }')).exceeded(), true);
  });

  test('let no further mutation begin', async () => {
    called.length = 0;
    assert.equal((await run('mutation { one two }')).exceeded(), true);
    assert.deepEqual(called, ['one']);
  });

  test('end work that waits when nobody waits for its result any more', async () => {
    const limits = createLimits();
    const inSlot = createSlots(1, () => limits.check());
    const first = Promise.withResolvers<void>();
    let started = 0;
    const work = [1, 2, 3].map(() =>
      inSlot(async () => {
        started += 1;
        await first.promise;
      }),
    );
    limits.end();
    first.resolve();
    const results = await Promise.allSettled(work);
    assert.deepEqual([started, limits.exceeded()], [1, true]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected'],
    );
  });

  test('count introspection', async () => {
    const aliases = Array.from({ length: 20_000 }, (_, index) => `a${index}: name`);
    const query = `{ __schema { types { ${aliases.join(' ')} } } }`;
    assert.equal((await run(query)).exceeded(), true);
  });
});

describe('loaders and slots', () => {
  test('a loader asks for at most a thousand keys at a time', async () => {
    const sizes: number[] = [];
    const load = createLoader(
      (key: number) => key,
      async (keys) => {
        sizes.push(keys.length);
        return (key) => key * 2;
      },
    );
    const values = await Promise.all(Array.from({ length: 2500 }, (_, key) => load(key)));
    assert.equal(values[2499], 4998);
    assert.deepEqual(sizes, [1000, 1000, 500]);
  });

  test('slots run so many at a time, and check before each', async () => {
    let [running, most, allowed] = [0, 0, 3];
    const inSlot = createSlots(2, () => {
      allowed -= 1;
      if (allowed < 0) throw new Error('no more');
    });
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () =>
        inSlot(async () => {
          running += 1;
          most = Math.max(most, running);
          await new Promise((resolve) => setImmediate(resolve));
          running -= 1;
        }),
      ),
    );
    assert.equal(most, 2);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'],
    );
  });
});
