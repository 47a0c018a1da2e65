import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { FunctionsError } from '../errors/functions-error.ts';
import { joinChain, readLineage } from './lineage.ts';

const root = 'Root=1-5e34a614-10bd0000000000000000a5a1';
const mark = 'a87bd80c';
const other = '68fd508a';

describe('chains of requests', () => {
  it('are refused a function that they have come back to sixteen times', () => {
    for (const lineage of [
      `${mark}:16`,
      `${mark}:99999`,
      `${other}:2|${mark}:16`,
      `${mark}:16|${other}:15`,
      `${mark}:16|${mark}:1`,
    ]) {
      assert.throws(
        () => joinChain({ mark, recursiveLoop: 'Terminate' }, `${root};Lineage=${lineage}`),
        (error) => {
          assert.ok(error instanceof FunctionsError);
          assert.equal(error.code, 'RecursiveInvocationException');
          assert.equal(error.status, 400);
          return true;
        },
        lineage,
      );
    }
  });

  it('carry on how often they came to each function', () => {
    const joined = (lineage: string, recursiveLoop: 'Allow' | 'Terminate' = 'Terminate'): string =>
      joinChain({ mark, recursiveLoop }, `${root};Lineage=${lineage};Sampled=0`);
    assert.equal(joinChain({ mark, recursiveLoop: 'Terminate' }, undefined), `${mark}:1`);
    assert.equal(joinChain({ mark, recursiveLoop: 'Terminate' }, root), `${mark}:1`);
    assert.equal(joined(`${mark}:15`), `${mark}:16`);
    assert.equal(joined(`${mark}:3|${other}:2`), `${other}:2|${mark}:4`);
    assert.equal(joined(`${mark}:16`, 'Allow'), `${mark}:17`);
    assert.equal(joined(`${mark}:99999`, 'Allow'), `${mark}:99999`);
  });

  it('are read from headers of anybody', () => {
    for (const nonsense of [
      '',
      'Lineage',
      'Lineage=',
      `MyLineage=${mark}:1`,
      `Lineage=${mark}`,
      `Lineage=${mark}:-1|x${mark}:1|${mark}:123456|${mark}0:1`,
      `Lineage=${'a'.repeat(100_000)}`,
      `Lineage=${';'.repeat(100_000)}`,
    ]) {
      assert.equal(readLineage(nonsense).size, 0, nonsense.slice(0, 100));
    }
    const given = `${root}; lineage=${mark}:1|nonsense|${other}:2`;
    assert.deepEqual(
      [...readLineage(given)],
      [
        [mark, 1],
        [other, 2],
      ],
    );
  });

  it('forget what was longest ago when they go through very many functions', () => {
    let header = root;
    const marks = Array.from({ length: 40 }, (_, index) => index.toString(16).padStart(8, '0'));
    for (const one of marks) {
      header = `${root};Lineage=${joinChain({ mark: one, recursiveLoop: 'Terminate' }, header)}`;
    }
    assert.deepEqual([...readLineage(header).keys()], marks.slice(-32));
    assert.ok(header.length < 600);
  });
});
