import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('every request', () => {
  let forge: TestForge;
  let owner: TestUser;
  let name: string;

  before(async () => {
    forge = await startTestForge({ rateLimitAnonymous: 1000, rateLimitUser: 5000 });
    owner = await forge.user('own');
    name = await forge.repository(owner, { init: true });
  });
  after(() => forge.close());

  const basic = (login: string, password: string): Record<string, string> => ({
    authorization: `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`,
  });

  test('GET /user without credentials is refused without a challenge', async () => {
    const response = await forge.anonymous.get('/user');
    assert.equal(response.status, 401);
    assert.equal(response.body.message, 'Requires authentication');
    assert.equal(response.headers['www-authenticate'], undefined);
  });

  test('wrong credentials are counted and refused as an anonymous caller’s', async () => {
    const counted = Number(
      (await forge.anonymous.get('/users/own')).headers['x-ratelimit-remaining'],
    );
    for (const headers of [
      { authorization: 'token bad' },
      { authorization: 'Bearer ' },
      { authorization: 'Bearer bad' },
      basic('own', 'wrong'),
      basic('nobody', 'x'),
      { authorization: 'Digest x' },
      { authorization: 'Basic !!!' },
    ]) {
      const response = await forge.anonymous.get('/user', headers);
      assert.equal(response.status, 401, JSON.stringify(headers));
      assert.equal(response.body.message, 'Bad credentials');
      assert.equal(response.headers['x-ratelimit-limit'], '1000');
      assert.equal(response.headers['x-oauth-scopes'], undefined);
      assert.equal(response.headers['www-authenticate'], undefined);
    }
    const left = Number((await forge.anonymous.get('/users/own')).headers['x-ratelimit-remaining']);
    assert.equal(left, counted - 8);
  });

  test('every way to show a token gives the same user', async () => {
    const { token } = owner;
    for (const headers of [
      { authorization: `token ${token}` },
      { authorization: `TOKEN ${token}` },
      { authorization: `bearer ${token}` },
      { authorization: `Bearer  ${token}` },
      basic('own', token),
      basic('whoever', token),
      basic(token, ''),
      basic(token, 'x-oauth-basic'),
    ]) {
      const response = await forge.anonymous.get('/user', headers);
      assert.equal(response.status, 200, JSON.stringify(headers));
      assert.equal(response.body.login, 'own');
      assert.match(response.headers['x-oauth-scopes'] ?? '', /repo/);
    }
  });

  test('credentials in the query string are refused with the way out', async () => {
    const response = await forge.anonymous.get(`/user?access_token=${owner.token}`);
    assert.ok([400, 401].includes(response.status));
    const withUser = await owner.get('/user?access_token=x');
    assert.equal(withUser.status, 400);
    assert.match(withUser.body.message, /Authorization header/);
  });

  test('who does not say who it is gets a plain refusal', async () => {
    const response = await forge.anonymous.send('GET', '/user', { headers: { 'user-agent': '' } });
    assert.equal(response.status, 403);
    assert.match(response.headers['content-type'] ?? '', /^text\//);
    assert.match(response.text, /User-Agent/);
    assert.equal(response.headers['x-ratelimit-limit'], undefined);
  });

  test('what is not there is not found, in the documented shape', async () => {
    const response = await owner.get('/repos/own/none');
    assert.equal(response.status, 404);
    assert.equal(response.body.message, 'Not Found');
    assert.match(response.body.documentation_url, /reference\/repos#get-a-repository$/);
    const unknown = await owner.get('/no/such/thing');
    assert.equal(unknown.status, 404);
    assert.match(unknown.body.documentation_url, /\/docs\/rest$/);
  });

  test('absent and hidden repositories get the same response', async () => {
    const hidden = await forge.repository(owner, { private: true, name: 'hidden' });
    const outsider = await forge.user('nosy');
    const seen = await outsider.get(`/repos/${hidden}`);
    const absent = await outsider.get('/repos/own/absent');
    assert.deepEqual([seen.status, seen.text], [absent.status, absent.text]);
  });

  test('a narrow token sees no private code and writes nothing', async () => {
    const hidden = await forge.repository(owner, { private: true, init: true });
    const narrow = await forge.withScopes(owner, ['repo:status', 'repo:invite']);
    assert.equal((await narrow.get(`/repos/${hidden}`)).status, 404);
    const none = await forge.withScopes(owner, []);
    assert.equal((await none.get(`/repos/${name}`)).status, 200);
    assert.equal((await none.post('/user/repos', { name: 'x' })).status, 404);
    assert.equal((await none.get('/user')).headers['x-oauth-scopes'], '');
  });

  test('only JSON is offered where nothing else exists', async () => {
    for (const accept of ['text/plain', 'text/xml', 'application/octet-stream']) {
      const response = await owner.get(`/repos/${name}`, { accept });
      assert.equal(response.status, 415, accept);
      assert.match(response.body.message, /Must accept 'application\/json'/);
    }
    for (const accept of [
      'text/plain, */*',
      'application/json',
      'application/vnd.github.unknown-preview+json',
      'application/vnd.github.v3+json;charset=utf-8',
      'application/vnd.github.v3+json,application/vnd.github.beta+json;q=0.5',
      'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
    ]) {
      assert.equal((await owner.get(`/repos/${name}`, { accept })).status, 200, accept);
    }
  });

  test('the response names the media type that was understood', async () => {
    for (const [accept, echo] of [
      ['*/*', 'github.v3; format=json'],
      ['application/vnd.github.v3+json', 'github.v3; format=json'],
      ['application/vnd.github+json', 'github.v3; format=json'],
      ['application/vnd.github.v3.full+json', 'github.v3; param=full; format=json'],
      ['application/vnd.github.full+json', 'github.v3; param=full; format=json'],
      [
        'application/vnd.github.groot-preview.full+json',
        'github.v3; param=groot-preview.full; format=json',
      ],
      ['application/vnd.github.v3.sha', 'github.v3; param=sha'],
      ['text/html, */*; q=.2', 'unknown, github.v3'],
    ] as const) {
      const response = await owner.get(`/repos/${name}`, { accept });
      assert.equal(response.headers['x-github-media-type'], echo, accept);
    }
  });

  test('a preflight is answered without a name or credentials', async () => {
    const response = await forge.anonymous.send('OPTIONS', '/repos/own/none/pulls', {
      headers: { 'user-agent': '', origin: 'http://elsewhere.test' },
    });
    assert.equal(response.status, 204);
    assert.equal(response.headers['access-control-allow-origin'], '*');
    assert.equal(response.headers['access-control-max-age'], '86400');
    assert.equal(response.headers['access-control-allow-methods'], 'GET, POST, PATCH, PUT, DELETE');
    for (const header of ['Authorization', 'If-None-Match', 'X-GitHub-OTP', 'X-Requested-With']) {
      assert.ok(response.headers['access-control-allow-headers']?.includes(header), header);
    }
    for (const header of [
      'ETag',
      'Link',
      'X-RateLimit-Reset',
      'X-OAuth-Scopes',
      'X-Poll-Interval',
    ]) {
      assert.ok(response.headers['access-control-expose-headers']?.includes(header), header);
    }
    assert.equal((await forge.anonymous.get('/user')).headers['access-control-allow-origin'], '*');
  });

  test('cache headers distinguish callers, and refusals have none', async () => {
    const mine = await owner.get(`/repos/${name}`);
    assert.equal(mine.headers['cache-control'], 'private, max-age=60, s-maxage=60');
    assert.match(mine.headers['vary'] ?? '', /Accept, Authorization/);
    const open = await forge.anonymous.get(`/repos/${name}`);
    assert.equal(open.headers['cache-control'], 'public, max-age=60, s-maxage=60');
    const refused = await owner.get('/repos/own/none');
    assert.equal(refused.headers['cache-control'], undefined);
    assert.equal(refused.headers['etag'], undefined);
    assert.equal(refused.headers['status'], '404 Not Found');
  });

  test('a wrapped response is a function call with the status in it', async () => {
    const response = await forge.anonymous.get(`/repos/${name}?callback=foo`);
    assert.equal(response.status, 200);
    assert.match(response.headers['content-type'] ?? '', /^application\/javascript/);
    const call = /^\/\*\*\/foo\((.*)\)$/s.exec(response.text);
    const wrapped = JSON.parse(call?.[1] ?? 'null');
    assert.equal(wrapped.meta.status, 200);
    assert.equal(wrapped.meta['X-RateLimit-Limit'], '1000');
    assert.equal(wrapped.data.full_name, name);
    const missing = await forge.anonymous.get('/repos/own/none?callback=a.b');
    assert.equal(missing.status, 200);
    assert.match(missing.text, /^\/\*\*\/a\.b\(\{"meta":\{"status":404/);
    for (const callback of ['a(b', '1x', 'alert`1`', '<script>', 'a..b', 'x'.repeat(65)]) {
      const odd = await forge.anonymous.get(`/user?callback=${encodeURIComponent(callback)}`);
      assert.equal(odd.status, 400, callback);
    }
  });

  test('an exceeded rate limit is refused until the hour is over', async () => {
    const small = await startTestForge({ rateLimitUser: 2 });
    try {
      const user = await small.user('busy');
      await user.get('/user');
      const other = await small.withScopes(user, []);
      assert.equal((await other.get('/user')).headers['x-ratelimit-remaining'], '0');
      const refused = await user.get('/user');
      assert.equal(refused.status, 403);
      assert.equal(refused.headers['x-ratelimit-remaining'], '0');
      assert.match(refused.body.message, /^API rate limit exceeded for user ID \d+\.$/);
      assert.match(refused.body.documentation_url, /#rate-limiting$/);
      small.clock.advance(3_601_000);
      assert.equal((await user.get('/user')).status, 200);
    } finally {
      await small.close();
    }
  });

  test('malformed bodies are refused, and nothing changes', async () => {
    const deep = `{"name":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const wide = JSON.stringify(
      Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`m${i}`, i])),
    );
    for (const [body, status] of [
      ['{', 400],
      ['{"name":', 400],
      [Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), 400],
      [deep, 400],
      [wide, 422],
      ['[]', 400],
      ['"text"', 400],
      ['5', 400],
      ['{"name":"a\\u0000b"}', 422],
      ['{"name":"\\ud800"}', 422],
      ['{"name":1e999}', 422],
      ['{"name":{"a":1}}', 422],
      ['{"name":["x"]}', 422],
      ['{"name":true}', 422],
      [`{"name":"${'x'.repeat(2 * 1024 * 1024)}"}`, 413],
      ['', 422],
      ['null', 422],
    ] as const) {
      const response = await owner.post('/user/repos', body);
      assert.equal(response.status, status, String(body).slice(0, 40));
      assert.equal(typeof response.body.message, 'string');
    }
  });

  test('malformed URLs are refused', async () => {
    for (const path of [
      '/repos/%00/x',
      '/repos/own/..%2f..',
      '/repos/own/%2e%2e/pulls',
      '/repos/own/' + 'x'.repeat(5000),
      '/repos/own/%ff%fe',
      '/repos/own/%',
      '/repositories/0',
      '/repositories/-1',
      '/repositories/99999999999999999999',
      '/repositories/1e3',
      '/users/%F0%9F%98%80',
      '/api/v3//repos',
    ]) {
      const response = await owner.get(path);
      assert.ok(response.status >= 400 && response.status < 500, `${path} ${response.status}`);
    }
  });

  test('a form that a resource does not have is refused, unless JSON will do as well', async () => {
    const ask = (accept: string) => owner.get('/user', { accept });
    for (const parameter of ['diff', 'patch', 'sha', 'raw', 'html', 'full']) {
      const response = await ask(`application/vnd.github.v3.${parameter}`);
      assert.equal(response.status, 406, parameter);
      assert.equal(
        response.body.message,
        `This resource does not support the '${parameter}' media type parameter.`,
      );
    }
    for (const accept of [
      'application/vnd.github.v3.full+json',
      'application/vnd.github.diff, */*',
    ]) {
      assert.equal((await ask(accept)).status, 200, accept);
    }
  });
});
