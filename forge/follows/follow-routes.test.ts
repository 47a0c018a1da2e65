import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('followers', () => {
  let forge: TestForge;
  let ann: TestUser;
  let bob: TestUser;

  before(async () => {
    forge = await startTestForge();
    ann = await forge.user('ann');
    bob = await forge.user('bob');
    await forge.organization(ann, 'acme');
  });
  after(() => forge.close());

  const logins = async (path: string): Promise<string[]> =>
    (await ann.get(path)).body.map((each: TestUser) => each.login);

  test('need an account, a scope and another user', async () => {
    const narrow = await forge.withScopes(ann, ['repo']);
    for (const method of ['PUT', 'DELETE']) {
      assert.equal((await forge.anonymous.send(method, '/user/following/bob')).status, 401);
      assert.equal((await narrow.send(method, '/user/following/bob')).status, 404);
      assert.equal((await ann.send(method, '/user/following/nobody')).status, 404);
      assert.equal((await ann.send(method, '/user/following/acme')).status, 404);
    }
    assert.equal((await ann.put('/user/following/ann')).status, 422);
    assert.equal((await ann.get('/user/following/bob')).status, 404);
    assert.equal((await ann.get('/users/ann/following/nobody')).status, 404);
  });

  test('are listed and counted on both sides', async () => {
    assert.equal((await ann.put('/user/following/bob')).status, 204);
    assert.equal((await ann.put('/user/following/bob')).status, 204);
    assert.equal((await ann.get('/user/following/bob')).status, 204);
    assert.equal((await bob.get('/users/ann/following/bob')).status, 204);
    assert.equal((await bob.get('/users/bob/following/ann')).status, 404);
    assert.deepEqual(await logins('/user/following'), ['bob']);
    assert.deepEqual(await logins('/users/bob/followers'), ['ann']);
    assert.deepEqual(await logins('/users/acme/followers'), []);
    const profile = (await bob.get('/user')).body;
    assert.deepEqual([profile.followers, profile.following], [1, 0]);
    assert.equal((await bob.get('/users/ann')).body.following, 1);
    assert.equal((await ann.delete('/user/following/bob')).status, 204);
    assert.deepEqual(await logins('/users/ann/following'), []);
    assert.equal((await bob.get('/users/bob')).body.followers, 0);
  });
});
