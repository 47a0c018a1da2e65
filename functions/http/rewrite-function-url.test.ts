import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { functionUrlRoute } from './rewrite-function-url.ts';

describe('addresses of the function service', () => {
  test('are left alone by others', () => {
    for (const url of [
      '/',
      '/api/v3/repos/a/%',
      '/2015',
      '/2015-03-310/x',
      '/1915-03-31/functions',
    ]) {
      assert.equal(functionUrlRoute(url), undefined, url);
    }
  });

  test('lead where they say, or nowhere when they cannot be read', () => {
    for (const url of ['/2015-03-31/functions', '/2015-03-31/functions/a%20b?Marker=%']) {
      assert.equal(functionUrlRoute(url), url);
    }
    for (const end of ['', '/', '?x', '/%', '/functions/%ff?x']) {
      assert.equal(functionUrlRoute(`/2015-03-31${end}`), '/2015-03-31/-', end);
    }
  });
});
