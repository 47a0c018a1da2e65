import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('the addresses of a user', () => {
  let forge: TestForge;
  let ada: TestUser;

  before(async () => {
    forge = await startTestForge();
    ada = await forge.user('ada');
  });
  after(() => forge.close());

  test('are shown only to tokens that have a scope for them', async () => {
    for (const path of ['/user/emails', '/user/public_emails']) {
      assert.equal((await forge.anonymous.get(path)).status, 401);
      for (const scopes of [[], ['repo'], ['read:user']] as const) {
        const response = await (await forge.withScopes(ada, scopes)).get(path);
        assert.equal(response.status, 404, `${path} ${scopes.join()}`);
        assert.equal(response.headers['x-accepted-oauth-scopes'], 'user, user:email');
      }
      for (const scope of ['user:email', 'user'] as const) {
        const response = await (await forge.withScopes(ada, [scope])).get(path);
        assert.equal(response.status, 200);
        assert.deepEqual(response.body, [
          { email: 'ada@example.test', primary: true, verified: true, visibility: 'public' },
        ]);
      }
    }
    assert.deepEqual((await ada.get('/user/emails?page=2')).body, []);
  });

  test('are none where an account has none', async () => {
    const admin = await forge.user('root', { siteAdmin: true });
    const created = await admin.post('/admin/users', { login: 'nameless' });
    assert.equal(created.status, 201, created.text);
    const granted = await admin.post('/admin/users/nameless/authorizations', { scopes: ['user'] });
    const headers = { authorization: `token ${granted.body.token}` };
    const response = await forge.anonymous.get('/user/emails', headers);
    assert.equal(response.status, 200);
    assert.deepEqual(response.body, []);
  });
});
