import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import {
  startTestForge,
  type TestForge,
  type TestResponse,
  type TestUser,
} from '../testing/test-forge.ts';

const kinds = ['contributors', 'commit_activity', 'code_frequency', 'participation', 'punch_card'];
const ada = { name: 'Ada', email: 'ADA@example.test' };
const outside = { name: 'Grace', email: 'grace@elsewhere.test' };
const hour = 3_600_000;
const week = 7 * 24 * hour;
/** The clock of tests begins on a Monday. */
const sunday = Date.UTC(2026, 0, 4);

describe('statistics of a repository', () => {
  let forge: TestForge;
  let owner: TestUser;
  let user: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
    user = await forge.user('ada');
  });
  after(() => forge.close());

  /** Asks until it is counted. */
  async function counted(client: TestUser, path: string): Promise<TestResponse> {
    for (;;) {
      const response = await client.get(path);
      if (response.status !== 202) return response;
      assert.deepEqual(response.body, {});
    }
  }

  test('are shown to those who may read the repository; an empty one has none', async () => {
    const name = await forge.repository(owner, { private: true });
    for (const kind of kinds) {
      const path = `/repos/${name}/stats/${kind}`;
      assert.equal((await user.get(path)).status, 404);
      assert.equal((await owner.get(path)).status, 204);
    }
    assert.equal((await owner.get(`/repos/${name}/stats/none`)).status, 404);
  });

  test('are counted after they were asked for, once for each head', async () => {
    const name = await forge.repository(owner);
    await commitFiles(forge, name, 'main', { a: '1' });
    const path = `/repos/${name}/stats/participation`;
    assert.equal((await owner.get(path)).status, 202);
    const first = await counted(owner, path);
    assert.equal(first.body.all.at(-1), 1);
    assert.equal((await owner.get(path)).status, 200);
    await commitFiles(forge, name, 'main', { a: '2' });
    assert.equal((await owner.get(path)).status, 202);
    assert.equal((await counted(owner, path)).body.all.at(-1), 2);
  });

  test('are of users, weeks, days and hours, as of today', async () => {
    const name = await forge.repository(user);
    const begun = forge.clock.now();
    assert.equal(new Date(begun).toISOString(), '2026-01-05T09:30:00.000Z');
    await commitFiles(forge, name, 'main', { a: '1\n2\n' }, { author: ada });
    await commitFiles(forge, name, 'main', { a: '1\n3\n' }, { author: ada });
    forge.clock.advance(2 * week + hour);
    await commitFiles(forge, name, 'main', { a: '3\n' }, { author: outside });
    await commitFiles(
      forge,
      name,
      'main',
      { b: '3\n' },
      { author: { ...ada, email: 'owner@example.test' } },
    );
    const stats = (kind: string): Promise<TestResponse> =>
      counted(owner, `/repos/${name}/stats/${kind}`);

    const contributors = (await stats('contributors')).body;
    assert.deepEqual(
      contributors.map(({ author, total }: { author: { login: string }; total: number }) => [
        author.login,
        total,
      ]),
      [
        ['owner', 1],
        ['ada', 2],
      ],
    );
    assert.deepEqual(contributors[1].weeks, [
      { w: sunday / 1000, a: 3, d: 1, c: 2 },
      { w: (sunday + week) / 1000, a: 0, d: 0, c: 0 },
      { w: (sunday + 2 * week) / 1000, a: 0, d: 0, c: 0 },
    ]);
    assert.deepEqual((await stats('code_frequency')).body, [
      [sunday / 1000, 3, -1],
      [(sunday + week) / 1000, 0, 0],
      [(sunday + 2 * week) / 1000, 1, -1],
    ]);
    const activity = (await stats('commit_activity')).body;
    assert.equal(activity.length, 52);
    assert.deepEqual(activity.at(-1), {
      days: [0, 2, 0, 0, 0, 0, 0],
      total: 2,
      week: (sunday + 2 * week) / 1000,
    });
    assert.deepEqual(activity.at(-3).days, [0, 2, 0, 0, 0, 0, 0]);
    const { all, owner: own } = (await stats('participation')).body;
    assert.deepEqual([all.length, all.slice(-3), own.slice(-3)], [52, [2, 0, 2], [2, 0, 0]]);
    const card = (await stats('punch_card')).body;
    assert.equal(card.length, 168);
    assert.deepEqual(
      card.filter(([, , commits]: number[]) => commits !== 0),
      [
        [1, 9, 2],
        [1, 10, 2],
      ],
    );
    forge.clock.advance(52 * week);
    const later = (await stats('participation')).body;
    assert.deepEqual([later.all[0], later.all.at(-1)], [0, 0]);
    assert.equal((await stats('contributors')).body[1].weeks.length, 3);
  });

  test('count commits of the future today, so that lists stay short', async () => {
    const name = await forge.repository(owner);
    forge.clock.advance(4000 * week);
    await commitFiles(forge, name, 'main', { a: '1\n' }, { author: ada });
    forge.clock.advance(-4000 * week);
    const { body } = await counted(owner, `/repos/${name}/stats/code_frequency`);
    assert.equal(body.length, 1);
    assert.equal(body[0][1], 1);
    const activity = await counted(owner, `/repos/${name}/stats/commit_activity`);
    assert.equal(activity.body.at(-1).total, 1);
  });
});
