import assert from 'node:assert/strict';
import { test } from 'node:test';

import { routes } from './page-table.ts';
import { samplePaths } from './testing/sample-paths.ts';
import type { SeededSite } from './testing/seeded-site.ts';

test('every page has a path to be tried with', () => {
  const known = new Set(Object.keys(samplePaths(placeholder)));
  const paths = routes([]).map(([path]) => path);
  assert.deepEqual(
    paths.filter((path) => !known.has(path)),
    [],
    'pages without a path in forge/web/testing/sample-paths.ts',
  );
  assert.deepEqual(
    [...known].filter((path) => !paths.includes(path)),
    [],
    'paths of pages that are not there any more',
  );
});

/** For the names of the pages alone. */
const placeholder: SeededSite = {
  login: '',
  sessionCookie: { name: '', value: '' },
  repository: '',
  commit: '',
  parent: '',
  edit: '',
  branch: '',
  webhook: 0,
  delivery: 0,
};
