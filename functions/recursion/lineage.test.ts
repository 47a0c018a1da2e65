import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { FunctionsError } from '../errors/functions-error.ts';
import { joinChain, readLineage } from './lineage.ts';

const root = 'Root=1-5e34a614-10bd0000000000000000a5a1';
const functionHash = 'a87bd80c';
const other = '68fd508a';

describe('chains of requests', () => {
  it('are refused a function that they have come back to sixteen times', () => {
    for (const lineage of [
      `${functionHash}:16`,
      `${functionHash}:99999`,
      `${other}:2|${functionHash}:16`,
      `${functionHash}:16|${other}:15`,
      `${functionHash}:16|${functionHash}:1`,
    ]) {
      assert.throws(
        () => joinChain({ functionHash, recursiveLoop: 'Terminate' }, `${root};Lineage=${lineage}`),
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
      joinChain({ functionHash, recursiveLoop }, `${root};Lineage=${lineage};Sampled=0`);
    assert.equal(
      joinChain({ functionHash, recursiveLoop: 'Terminate' }, undefined),
      `${functionHash}:1`,
    );
    assert.equal(
      joinChain({ functionHash, recursiveLoop: 'Terminate' }, root),
      `${functionHash}:1`,
    );
    assert.equal(joined(`${functionHash}:15`), `${functionHash}:16`);
    assert.equal(joined(`${functionHash}:3|${other}:2`), `${other}:2|${functionHash}:4`);
    assert.equal(joined(`${functionHash}:16`, 'Allow'), `${functionHash}:17`);
    assert.equal(joined(`${functionHash}:99999`, 'Allow'), `${functionHash}:99999`);
  });

  it('are read from headers of anybody', () => {
    for (const nonsense of [
      '',
      'Lineage',
      'Lineage=',
      `MyLineage=${functionHash}:1`,
      `Lineage=${functionHash}`,
      `Lineage=${functionHash}:-1|x${functionHash}:1|${functionHash}:123456|${functionHash}0:1`,
      `Lineage=${'a'.repeat(100_000)}`,
      `Lineage=${';'.repeat(100_000)}`,
    ]) {
      assert.equal(readLineage(nonsense).size, 0, nonsense.slice(0, 100));
    }
    const given = `${root}; lineage=${functionHash}:1|nonsense|${other}:2`;
    assert.deepEqual(
      [...readLineage(given)],
      [
        [functionHash, 1],
        [other, 2],
      ],
    );
  });

  it('forget what was longest ago when they go through very many functions', () => {
    let header = root;
    const hashes = Array.from({ length: 40 }, (_, index) => index.toString(16).padStart(8, '0'));
    for (const one of hashes) {
      header = `${root};Lineage=${joinChain({ functionHash: one, recursiveLoop: 'Terminate' }, header)}`;
    }
    assert.deepEqual([...readLineage(header).keys()], hashes.slice(-32));
    assert.ok(header.length < 600);
  });
});
