import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { countingSql } from '#platform/testing/counting-sql.ts';

import { repositoryId } from '../testing/commits.ts';
import { type OpenedPull, openPull } from '../testing/pull-fixture.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import { loadPull } from './parts/load-pull.ts';

describe('the statements of the page of a pull', () => {
  let forge: TestForge;
  let owner: TestUser;
  let reviewer: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('ada');
    reviewer = await forge.user('grace');
  });
  after(() => forge.close());

  /** How many statements the page takes for the reviewer. */
  async function statementsOf(pull: OpenedPull): Promise<number> {
    const id = await repositoryId(forge, pull.name);
    return forge.database.read(async (sql) => {
      const counting = countingSql(sql);
      const repository = (await repositoriesById(sql, [id])).get(id) ?? assert.fail();
      const caller = { kind: 'user', account: reviewer.account, scopes: 'password' } as const;
      await loadPull(counting.sql, repository, pull.number, caller);
      return counting.count();
    });
  }

  /** Of each kind as many as asked for. */
  async function discuss(pull: OpenedPull, times: number): Promise<void> {
    const at = `/repos/${pull.name}`;
    const must = async (response: ReturnType<TestUser['post']>): Promise<void> => {
      const { status, text } = await response;
      assert.ok(status < 300, text);
    };
    for (let time = 0; time < times; time += 1) {
      await must(reviewer.post(`${at}/issues/1/comments`, { body: `${time}` }));
      await must(reviewer.post(`${pull.path}/reviews`, { body: `${time}`, event: 'COMMENT' }));
      const line = { body: `${time}`, commit_id: pull.head, path: 'new.txt', line: 1 };
      await must(owner.post(`${pull.path}/comments`, line));
      await must(owner.post(`${at}/issues/1/labels`, { labels: [`label-${time}`] }));
      await must(owner.post(`${at}/milestones`, { title: `milestone ${time}` }));
      const status = { state: 'success', context: `check-${time}` };
      await must(owner.post(`${at}/statuses/${pull.head}`, status));
    }
  }

  test('do not grow with what was said and done', async () => {
    const quiet = await openPull(forge, owner);
    const busy = await openPull(forge, owner);
    await discuss(quiet, 1);
    await discuss(busy, 12);
    const count = await statementsOf(quiet);
    assert.ok(count > 10, `${count}`);
    assert.equal(await statementsOf(busy), count);
  });
});
