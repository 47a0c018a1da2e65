import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { readOwn } from './read-own.ts';

describe('due rows of the own functions', () => {
  const rows = Array.from({ length: 100 }, (_row, number) => number);
  const read = (limit: number, isOwn: (row: number) => boolean, pages: number[] = []) =>
    readOwn(
      limit,
      async (most, offset) => {
        pages.push(offset);
        return rows.slice(offset, offset + most);
      },
      isOwn,
    );

  it('are one page where all are own', async () => {
    const pages: number[] = [];
    assert.deepEqual(await read(10, () => true, pages), rows.slice(0, 10));
    assert.deepEqual(pages, [0]);
  });

  it('are found behind those of others', async () => {
    assert.deepEqual(await read(10, (row) => row >= 95), [95, 96, 97, 98, 99]);
    assert.deepEqual((await read(10, (row) => row % 5 === 0)).length, 10);
  });

  it('are none when there are none', async () => {
    const pages: number[] = [];
    assert.deepEqual(await read(40, () => false, pages), []);
    assert.deepEqual(pages, [0, 40, 80]);
  });
});
