import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('endpoints of the site', () => {
  let forge: TestForge;
  let user: TestUser;
  let administrator: TestUser;

  before(async () => {
    forge = await startTestForge({
      rateLimitAnonymous: 60,
      rateLimitUser: 5000,
      rateLimitSearch: 30,
    });
    user = await forge.user('ann');
    administrator = await forge.user('boss', { siteAdmin: true });
  });
  after(() => forge.close());

  test('the root names where everything is, under both prefixes', async () => {
    const response = await forge.anonymous.get('/');
    assert.equal(response.status, 200);
    assert.equal(response.headers['cache-control'], 'public, max-age=60, s-maxage=60');
    const home = 'http://forge.test/api/v3';
    assert.equal(response.body.repository_url, `${home}/repos/{owner}/{repo}`);
    assert.equal(
      response.body.current_user_repositories_url,
      `${home}/user/repos{?type,page,per_page,sort}`,
    );
    assert.equal(
      response.body.current_user_authorizations_html_url,
      'http://forge.test/settings/connections/applications{/client_id}',
    );
    for (const path of ['/api/v3', '/api/v3/']) {
      assert.deepEqual((await forge.anonymous.get(path)).body, response.body);
    }
  });

  test('the root is wrapped in a callback that is asked for', async () => {
    const response = await forge.anonymous.get('/?callback=foo');
    assert.match(response.text, /^\/\*\*\/foo\(\{"meta":\{"status":200,/);
  });

  test('asking for the rate limit costs nothing and is never cached', async () => {
    const charged = await user.get('/user');
    const response = await user.get('/rate_limit');
    assert.equal(response.headers['cache-control'], 'no-cache');
    assert.equal(response.headers['etag'], undefined);
    const { resources, rate } = response.body;
    const names = ['core', 'search', 'graphql', 'integration_manifest', 'code_search'];
    assert.deepEqual(Object.keys(resources), names);
    assert.deepEqual(rate, resources.core);
    assert.deepEqual(Object.keys(rate), ['limit', 'used', 'remaining', 'reset']);
    assert.equal(rate.limit, 5000);
    assert.equal(rate.used + rate.remaining, rate.limit);
    assert.equal(String(rate.remaining), charged.headers['x-ratelimit-remaining']);
    assert.equal(String(rate.reset), charged.headers['x-ratelimit-reset']);
    assert.ok(rate.reset <= forge.clock.now() / 1000 + 3600);
  });

  test('anonymous callers have a rate limit of their own', async () => {
    const { resources } = (await forge.anonymous.get('/api/v3/rate_limit')).body;
    assert.deepEqual(
      [resources.core.limit, resources.search.limit, resources.graphql.limit],
      [60, 10, 0],
    );
  });

  test('an exceeded rate limit can still be read', async () => {
    const small = await startTestForge({ rateLimitAnonymous: 1 });
    try {
      assert.equal((await small.anonymous.get('/meta')).status, 200);
      assert.equal((await small.anonymous.get('/meta')).status, 403);
      const { rate } = (await small.anonymous.get('/rate_limit')).body;
      assert.deepEqual([rate.used, rate.remaining], [1, 0]);
    } finally {
      await small.close();
    }
  });

  test('`verifiable_password_authentication` is true', async () => {
    const response = await forge.anonymous.get('/meta');
    assert.deepEqual(response.body, {
      verifiable_password_authentication: true,
      installed_version: '3.17.0',
    });
  });

  test('administration does not exist for anybody but site administrators', async () => {
    const narrow = await forge.withScopes(administrator, ['repo']);
    const requests = [
      ['POST', '/admin/users'],
      ['POST', '/admin/organizations'],
      ['POST', '/admin/users/ann/authorizations'],
      ['DELETE', '/admin/users/ann/authorizations'],
    ] as const;
    for (const [method, path] of requests) {
      assert.equal((await forge.anonymous.send(method, path)).status, 401, path);
      assert.equal((await user.send(method, path)).status, 404, path);
      assert.equal((await narrow.send(method, path)).status, 404, path);
    }
  });

  test('a user is made with a login and an address; bad and taken logins are refused', async () => {
    assert.equal((await administrator.post('/admin/users', {})).status, 422);
    const reserved = await administrator.post('/admin/users', { login: 'repos' });
    assert.equal(reserved.status, 422);
    assert.equal(reserved.body.message, 'Validation Failed');
    assert.match(reserved.body.errors[0].message, /'repos' is reserved/);
    const taken = await administrator.post('/admin/users', { login: 'ANN' });
    assert.match(taken.body.errors[0].message, /already taken/);
    const token = await administrator.post('/admin/users', { login: 'new', email: 'new@x.test' });
    assert.equal(token.status, 201, token.text);
    assert.deepEqual([token.body.login, token.body.type], ['new', 'User']);
    assert.equal(token.headers['location'], 'http://forge.test/api/v3/users/new');
    assert.equal((await user.get('/users/new')).body.email, 'new@x.test');
  });

  test("a token created for a user acts for the user until it is revoked; the user's own tokens stay", async () => {
    const path = '/admin/users/ann/authorizations';
    const unknown = await administrator.post('/admin/users/nobody/authorizations', { scopes: [] });
    assert.equal(unknown.status, 404);
    const wrong = await administrator.post(path, { scopes: ['everything'] });
    assert.equal(wrong.status, 422);
    assert.match(
      wrong.body.errors[0].message,
      /^'everything' is not a scope; the scopes are repo,/,
    );
    const created = await administrator.post(path, { scopes: ['repo'], note: 'build' });
    assert.equal(created.status, 201, created.text);
    const { token, note, scopes, token_last_eight: lastEight } = created.body;
    assert.deepEqual([note, scopes, lastEight], ['build', ['repo'], token.slice(-8)]);
    const headers = { authorization: `token ${token}` };
    const me = await forge.anonymous.get('/user', headers);
    assert.equal(me.body.login, 'ann');
    assert.equal(me.headers['x-oauth-scopes'], 'repo');
    // A response cached for the token must end with it.
    const name = await forge.repository(user, { private: true });
    const pulls = `/repos/${name}/pulls`;
    assert.equal((await forge.anonymous.get(pulls, headers)).status, 200);
    assert.equal((await administrator.delete(path)).status, 204);
    assert.equal((await forge.anonymous.get(pulls, headers)).status, 401);
    assert.equal((await forge.anonymous.get('/user', headers)).status, 401);
    assert.equal((await user.get('/user')).status, 200);
  });

  test('an organization is made with an owner', async () => {
    const input = { login: 'acme', admin: 'ann', profile_name: 'Acme Inc.' };
    assert.equal(
      (await administrator.post('/admin/organizations', { ...input, admin: 'nobody' })).status,
      422,
    );
    const token = await administrator.post('/admin/organizations', input);
    assert.equal(token.status, 201, token.text);
    assert.equal(token.body.url, 'http://forge.test/api/v3/orgs/acme');
    assert.equal((await user.get('/orgs/acme')).body.name, 'Acme Inc.');
    assert.equal((await user.get('/orgs/acme/memberships/ann')).body.role, 'admin');
  });
});
