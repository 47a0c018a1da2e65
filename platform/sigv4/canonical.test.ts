import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { canonicalPath, canonicalQuery, readQueryParameters } from './canonical.ts';

describe('what is signed of', () => {
  const paths = [
    ['', '/'],
    ['/', '/'],
    ['//', '/'],
    ['/a/b', '/a/b'],
    ['/a/', '/a/'],
    ['/a//b', '/a/b'],
    ['/functions//configuration', '/functions/configuration'],
    ['/a/./b/.', '/a/b'],
    ['/a/../b', '/b'],
    ['/../../b/..', '/'],
    ['/a/b/../', '/a/'],
    ['/.a/b..', '/.a/b..'],
    ['/a%3Ab', '/a%253Ab'],
    ['/%24LATEST', '/%2524LATEST'],
    ['/a:b', '/a%3Ab'],
    ["/!'()*", '/%21%27%28%29%2A'],
    ['/-_.~', '/-_.~'],
    // "é" in UTF-8, a character a byte.
    ['/\xc3\xa9', '/%C3%A9'],
  ] as const;
  for (const [path, signed] of paths) {
    it(`the path ${JSON.stringify(path)}`, () => assert.equal(canonicalPath(path), signed));
  }

  const queries = [
    ['', ''],
    ['a', 'a='],
    ['a=', 'a='],
    ['=', '='],
    ['&&a=1&', 'a=1'],
    ['b=2&a=1', 'a=1&b=2'],
    ['a=2&a=1&a', 'a=&a=1&a=2'],
    // By name first: joined, "a-" would come before "a=".
    ['a-=1&a=2', 'a=2&a-=1'],
    ['B=1&a=1', 'B=1&a=1'],
    ['a=b=c', 'a=b%3Dc'],
    ['a=%2f', 'a=%2F'],
    ['a=%7E~', 'a=~~'],
    ['a=1+2', 'a=1%2B2'],
    ['a=1%202', 'a=1%202'],
    ['a=100%', 'a=100%25'],
    ['a=%zz', 'a=%25zz'],
    ['a=\xc3\xa9%C3%A9', 'a=%C3%A9%C3%A9'],
    ['MaxItems=1&Marker=a%2Fb', 'Marker=a%2Fb&MaxItems=1'],
  ] as const;
  for (const [query, signed] of queries) {
    it(`the query ${JSON.stringify(query)}`, () =>
      assert.equal(canonicalQuery(readQueryParameters(query)), signed));
  }
});
