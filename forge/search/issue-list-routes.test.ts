import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('lists of issues over several repositories', () => {
  let forge: TestForge;
  let owner: TestUser;
  let mate: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    mate = await forge.user('mate');
    await forge.organization(owner, 'acme');
    await owner.put('/orgs/acme/memberships/mate');
    await owner.post('/orgs/acme/repos', { name: 'shared', private: true });
    const own = await forge.repository(owner, { name: 'own-one', private: true });
    const other = await forge.repository(mate, { name: 'other' });
    for (const [name, title, assignee] of [
      ['acme/shared', 'A', 'own'],
      ['acme/shared', 'B', 'mate'],
      [own, 'C', 'own'],
      [own, 'D', undefined],
    ] as const) {
      forge.clock.advance(1000);
      const assignees = assignee === undefined ? [] : [assignee];
      await owner.post(`/repos/${name}/issues`, { title, assignees, labels: [`of ${title}`] });
    }
    await mate.post(`/repos/${other}/issues`, { title: 'E', assignees: ['mate'] });
  });
  after(() => forge.close());

  const titles = async (user: Pick<TestUser, 'get'>, path: string): Promise<string[]> => {
    const { status, body, text } = await user.get(path);
    assert.equal(status, 200, text);
    return body.map((issue: { title: string }) => issue.title);
  };

  test('are for users, and refuse values that are none', async () => {
    for (const path of ['/issues', '/user/issues', '/orgs/acme/issues']) {
      assert.equal((await forge.anonymous.get(path)).status, 401, path);
      assert.equal((await owner.get(`${path}?filter=none`)).status, 422, path);
      assert.equal((await owner.get(`${path}?state=none`)).status, 422, path);
    }
    assert.equal((await owner.get('/orgs/none/issues')).status, 404);
  });

  test('have what is assigned to the caller, unless another filter is asked for', async () => {
    assert.deepEqual(await titles(owner, '/issues'), ['C', 'A']);
    assert.deepEqual(await titles(owner, '/issues?sort=created&direction=asc'), ['A', 'C']);
    assert.deepEqual(await titles(owner, '/orgs/acme/issues'), ['A']);
    // Only those who may push can be assigned.
    assert.deepEqual(await titles(mate, '/issues'), ['E']);
    assert.deepEqual(await titles(owner, '/user/issues?filter=all'), ['D', 'C', 'B', 'A']);
    assert.deepEqual(await titles(owner, '/issues?filter=created&labels=of%20D'), ['D']);
    assert.deepEqual(await titles(owner, '/issues?state=closed'), []);
    const page = await owner.get('/issues?per_page=1');
    assert.match(page.headers['link'] ?? '', /rel="next"/);
    assert.equal(page.body[0].repository.full_name, 'own/own-one');
  });

  test('show no private repository to those who may not read it', async () => {
    assert.deepEqual(await titles(mate, '/issues?filter=all'), ['E', 'B', 'A']);
    const narrow = await forge.withScopes(owner, ['public_repo']);
    assert.deepEqual(await titles(narrow, '/issues?filter=all'), ['E']);
    const stranger = await forge.user('stranger');
    assert.deepEqual(await titles(stranger, '/orgs/acme/issues?filter=all'), []);
  });
});
