import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isReserved } from './model/account.ts';
import { endpoints } from './routes.ts';

test('every path of the API begins with a reserved login, so that no account loses its pages to it', () => {
  const first = endpoints.map(({ declaration }) => declaration.path.split('/')[1] ?? '');
  const free = new Set(first.filter((segment) => segment !== '' && !isReserved(segment)));
  assert.deepEqual([...free], []);
});
