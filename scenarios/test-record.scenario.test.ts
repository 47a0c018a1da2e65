/** The recorded requests of a test run (docs/testing-with-hob.md). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { type ControlledServer, startControlledServer } from './controlled-server.ts';

interface Entry {
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: readonly { readonly name: string; readonly value: string }[];
    readonly postData?: { readonly text: string };
  };
  readonly response: {
    readonly status: number;
    readonly content: { readonly text: string; readonly mimeType: string };
    readonly headers: readonly { readonly name: string; readonly value: string }[];
  };
}

describe('the record of a test run', { timeout: 120_000 }, () => {
  let server: ControlledServer;
  before(async () => {
    server = await startControlledServer();
  });
  after(() => server.close());

  it('is refused before it is started', async () => {
    const refused = await server.control('GET', '/record');
    assert.equal(refused.status, 409);
    assert.match(refused.body.message, /record\/start/);
  });

  it('has every request with its response, and no secrets', async () => {
    assert.equal((await server.api('POST', '/admin/users', { login: 'ada' })).status, 201);
    assert.equal((await server.control('POST', '/record/start')).status, 204);
    const scopes = { scopes: ['repo'], note: 'of ada' };
    const { body: authorization } = await server.api(
      'POST',
      '/admin/users/ada/authorizations',
      scopes,
    );
    await server.api('GET', '/users/ada?page=1&access_token=a-secret-in-a-query');
    await server.api('GET', '/users/nobody');
    await server.control('POST', '/faults', { kind: 'cut', path: '/users/ada' });
    await assert.rejects(server.api('GET', '/users/ada'));
    await server.api('GET', '/user', undefined, `token ${authorization.token}`);

    const { status, body } = await server.control('GET', '/record');
    assert.equal(status, 200);
    assert.equal(body.log.version, '1.2');
    const entries: Entry[] = body.log.entries;
    const paths = entries.map(({ request, response }) => [
      request.method,
      new URL(request.url).pathname,
      response.status,
    ]);
    assert.deepEqual(paths.slice(0, 3), [
      ['POST', '/api/v3/admin/users/ada/authorizations', 201],
      ['GET', '/api/v3/users/ada', 400],
      ['GET', '/api/v3/users/nobody', 404],
    ]);
    assert.ok(paths.some(([, path, code]) => path === '/api/v3/users/ada' && code === 0));
    assert.deepEqual(paths.at(-1), ['GET', '/api/v3/user', 200]);
    const [made] = entries;
    assert.ok(made);
    assert.deepEqual(JSON.parse(made.request.postData?.text ?? ''), scopes);
    const answered = JSON.parse(made.response.content.text);
    assert.deepEqual([answered.note, answered.token], ['of ada', '[redacted]']);
    const type = made.response.headers.find(({ name }) => name.toLowerCase() === 'content-type');
    assert.match(type?.value ?? '', /^application\/json/);
    const text = JSON.stringify(body);
    for (const secret of [server.token, authorization.token, 'a-secret-in-a-query']) {
      assert.ok(!text.includes(secret), secret);
    }
    await server.control('POST', '/record/start');
    assert.deepEqual((await server.control('GET', '/record')).body.log.entries, []);
  });
});
