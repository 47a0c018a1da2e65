import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('creating repositories', () => {
  let forge: TestForge;
  let owner: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
  });
  after(() => forge.close());

  test('creating a repository needs a user', async () => {
    const response = await forge.anonymous.post('/user/repos', { name: 'x' });
    assert.equal(response.status, 401);
    assert.equal(response.body.message, 'Requires authentication');
  });

  test('a repository is created, named by Location and found under both forms of its path', async () => {
    const response = await owner.post('/user/repos', {
      name: 'Tools',
      description: 'Things',
      auto_init: true,
    });
    assert.equal(response.status, 201, response.text);
    assert.equal(response.headers['location'], 'http://forge.test/api/v3/repos/own/Tools');
    const byName = await owner.get('/repos/OWN/tools');
    assert.equal(byName.status, 200);
    assert.equal(byName.body.full_name, 'own/Tools');
    const byId = await owner.get(`/api/v3/repositories/${byName.body.id}`);
    assert.deepEqual(byId.body, byName.body);
    // What the routes are given in place of an owner is no path.
    for (const dash of ['-', '%2D', '%2d']) {
      assert.equal((await owner.get(`/repos/${dash}/${byName.body.id}`)).status, 404, dash);
      const shown = await owner.get(`/api/v3/repos/${dash}/${byName.body.id}/branches`);
      assert.equal(shown.status, 404, dash);
    }
  });
});
