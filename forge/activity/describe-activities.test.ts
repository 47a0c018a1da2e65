import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { countingSql } from '#platform/testing/counting-sql.ts';

import { activitiesFrom } from '../events/activity-store.ts';
import type { Activity, ActivityType } from '../events/activity.ts';
import { createBaseUrlResolver } from '../http/base-url.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import { openPull } from '../testing/pull-fixture.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { describeActivities } from './describe-activities.ts';

/** Those that embed something. */
const described: readonly ActivityType[] = [
  'CommitCommentEvent',
  'ForkEvent',
  'IssueCommentEvent',
  'PullRequestEvent',
  'PullRequestReviewEvent',
  'ReleaseEvent',
];

describe('the events of a list', () => {
  let forge: TestForge;
  let owner: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
    const mate = await forge.user('mate');
    for (let index = 0; index < 2; index += 1) {
      const { name, path, head } = await openPull(forge, owner);
      const at = `/repos/${name}`;
      await must(owner.post(`${at}/issues/1/comments`, { body: 'A' }));
      await must(mate.post(`${path}/reviews`, { body: 'B', event: 'COMMENT' }));
      await must(owner.post(`${at}/releases`, { tag_name: 'v1' }));
      await must(owner.post(`${at}/commits/${head}/comments`, { body: 'C' }));
      await must(mate.post(`${at}/forks`, { name: `fork-${index}` }));
    }
    for (let index = 2; index < 30; index += 1) {
      const { body } = await must(owner.post('/user/repos', { name: `more-${index}` }));
      await must(owner.post(`/repos/${body.full_name}/issues`, { title: 'D' }));
    }
  });
  after(() => forge.close());

  async function must(asked: ReturnType<TestUser['post']>): ReturnType<TestUser['post']> {
    const response = await asked;
    assert.ok(response.status < 300, response.text);
    return response;
  }

  /** How many statements it takes to describe them. */
  async function statementsOf(chosen: readonly Activity[]): Promise<number> {
    return forge.database.read(async (sql) => {
      const counting = countingSql(sql);
      const ids = chosen.map(({ repositoryId }) => repositoryId);
      const repositories = await repositoriesById(sql, ids);
      const { urls } = createBaseUrlResolver(forge.ports.settings)('forge.test');
      const caller = { kind: 'anonymous' } as const;
      const entries = await describeActivities(counting.sql, repositories, chosen, caller, urls);
      assert.equal(entries.length, chosen.length);
      return counting.count();
    });
  }

  test('take as many statements in thirty repositories as in two', async () => {
    const all = await forge.database.read((sql) =>
      activitiesFrom(sql, { kind: 'everywhere' }, { since: 0, publicOnly: true }),
    );
    const types = Map.groupBy(all, ({ repositoryId }) => repositoryId);
    const [one = 0, ...others] = [...types].flatMap(([id, of]) => {
      const kinds = new Set(of.map(({ type }) => type));
      return described.every((type) => kinds.has(type)) ? [id] : [];
    });
    assert.deepEqual([others.length, types.size >= 30], [1, true]);
    const inOne = all.filter(({ repositoryId }) => repositoryId === one);
    const inTwo = all.filter(({ repositoryId }) => [one, ...others].includes(repositoryId));
    const expected = await statementsOf(inOne);
    assert.equal(await statementsOf(inTwo), expected);
    assert.equal(await statementsOf(all), expected);
  });
});
