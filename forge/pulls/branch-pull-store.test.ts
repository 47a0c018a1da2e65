import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { Sql } from '#platform/database/database.ts';

import { repositoryId } from '../testing/commits.ts';
import { openPull } from '../testing/pull-fixture.ts';
import { startTestForge, type TestForge } from '../testing/test-forge.ts';
import { pullsOnBranches } from './branch-pull-store.ts';

describe('the pulls on branches', () => {
  let forge: TestForge;
  before(async () => {
    forge = await startTestForge();
  });
  after(() => forge.close());

  test('are each found once among as many branches as a push has, by statements with few values', async () => {
    const { name } = await openPull(forge, await forge.user('ada'));
    const id = await repositoryId(forge, name);
    const others = Array.from({ length: 9998 }, (_, index) => `other-${index}`);
    const values: number[] = [];
    const found = await forge.database.read((sql) => {
      const counting: Sql = {
        ...sql,
        all(text, ...given) {
          values.push(given.length);
          return sql.all(text, ...given);
        },
      };
      return pullsOnBranches(counting, id, ['main', ...others, 'topic']);
    });
    assert.deepEqual(
      found.map(({ number }) => number),
      [1],
    );
    assert.ok(Math.max(...values) <= 1000, `${Math.max(...values)} values`);
    assert.deepEqual(await forge.database.read((sql) => pullsOnBranches(sql, id, [])), []);
  });
});
