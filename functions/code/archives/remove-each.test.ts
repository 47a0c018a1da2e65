import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { removeEach } from './remove-each.ts';

const nameOf = (item: string): string => item;

describe('removing each of several', () => {
  it('counts what was removed', async () => {
    const remove = async (item: string): Promise<boolean> => item !== 'gone';
    assert.equal(await removeEach(['a', 'gone', 'b'], remove, { nameOf }), 2);
  });

  it('goes on after one that fails, and names it in the end', async () => {
    const removed: string[] = [];
    const cause = new Error('in use');
    const remove = async (item: string): Promise<boolean> => {
      if (item === 'held') throw cause;
      removed.push(item);
      return true;
    };
    await assert.rejects(removeEach(['a', 'held', 'b'], remove, { nameOf }), (error) => {
      assert.ok(error instanceof AggregateError);
      assert.deepEqual(error.errors, [new Error('held was not removed.', { cause })]);
      return true;
    });
    assert.deepEqual(removed, ['a', 'b']);
  });
});
