import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { linkHeader, readPage } from './pagination.ts';

const url = 'http://forge.test/api/v3/repositories/1/pulls';

function linksOf(query: string, total: number): string[] {
  const parameters = new URLSearchParams(query);
  const header = linkHeader(url, parameters, readPage(parameters), { total });
  return (header ?? '').split(', ').flatMap((link) => {
    const match = /^<([^>]*)>; rel="(\w+)"$/.exec(link);
    return match ? [`${match[2]} ${match[1]?.slice(url.length)}`] : [];
  });
}

describe('the pages of a list', () => {
  test('hold 30 items, or as many as asked for up to 100', () => {
    for (const [query, size] of [
      ['', 30],
      ['per_page=1', 1],
      ['per_page=100', 100],
      ['per_page=101', 100],
      ['per_page=1000', 100],
      ['per_page=0', 30],
      ['per_page=-1', 30],
      ['per_page=x', 30],
    ] as const) {
      assert.equal(readPage(new URLSearchParams(query)).size, size, query);
    }
  });

  test('are counted from one, whatever else is asked', () => {
    for (const [query, number] of [
      ['', 1],
      ['page=2', 2],
      ['page=0', 1],
      ['page=-1', 1],
      ['page=two', 1],
      ['page=2?per_page=2', 2],
      ['page=99999999999999999999', 1_000_000_000],
    ] as const) {
      assert.equal(readPage(new URLSearchParams(query)).number, number, query);
    }
  });

  test('have no links where there is one', () => {
    assert.deepEqual(linksOf('', 30), []);
    assert.deepEqual(linksOf('per_page=100', 0), []);
  });

  test('are linked to their neighbours in the order clients know', () => {
    assert.deepEqual(linksOf('', 35), ['next ?page=2', 'last ?page=2']);
    assert.deepEqual(linksOf('page=2', 35), ['prev ?page=1', 'first ?page=1']);
    assert.deepEqual(linksOf('per_page=10&page=2', 35), [
      'prev ?per_page=10&page=1',
      'next ?per_page=10&page=3',
      'last ?per_page=10&page=4',
      'first ?per_page=10&page=1',
    ]);
  });

  test('keep the parameters as they were sent, too large a size too', () => {
    assert.deepEqual(linksOf('per_page=1000', 101), [
      'next ?per_page=1000&page=2',
      'last ?per_page=1000&page=2',
    ]);
    assert.deepEqual(linksOf('page=1&per_page=2', 3), [
      'next ?page=2&per_page=2',
      'last ?page=2&per_page=2',
    ]);
  });

  test('beyond the last lead back to it', () => {
    assert.deepEqual(linksOf('page=99', 35), ['prev ?page=2', 'first ?page=1']);
  });
});
