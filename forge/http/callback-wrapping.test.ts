import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { wrapInCallback } from './callback-wrapping.ts';

describe('a response that is wrapped in a callback', () => {
  let forge: TestForge;
  let owner: TestUser;
  let name: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    name = await forge.repository(owner);
    for (const label of ['a', 'b']) await owner.post(`/repos/${name}/labels`, { name: label });
  });
  after(() => forge.close());

  test('is a script whatever is in it', () => {
    const wrapped = wrapInCallback('f', 200, {}, '{"a":"\u2028\u2029</script><!--"}');
    const data = '{"a":"\\u2028\\u2029\\u003c/script>\\u003c!--"}';
    assert.equal(wrapped, `/**/f({"meta":{"status":200},"data":${data}})`);
  });

  test('has the links of a list as pairs of URL and relation', async () => {
    const { text } = await forge.anonymous.get(`/repos/${name}/labels?per_page=1&callback=foo`);
    const { meta, data } = JSON.parse(/^\/\*\*\/foo\((.*)\)$/s.exec(text)?.[1] ?? 'null');
    const { id } = (await owner.get(`/repos/${name}`)).body;
    const page = `http://forge.test/api/v3/repositories/${id}/labels?per_page=1&callback=foo&page=2`;
    assert.deepEqual(meta.Link, [
      [page, { rel: 'next' }],
      [page, { rel: 'last' }],
    ]);
    assert.deepEqual([meta.status, data.length], [200, 1]);
  });

  test('says in itself that nothing was found', async () => {
    const { status, text } = await forge.anonymous.get('/repos/own/none?callback=foo');
    const { meta, data } = JSON.parse(/^\/\*\*\/foo\((.*)\)$/s.exec(text)?.[1] ?? 'null');
    assert.deepEqual([status, meta.status, data.message], [200, 404, 'Not Found']);
  });

  test('is one also where the name of the parameter is encoded, and from the cache', async () => {
    for (let count = 0; count < 3; count += 1) {
      const { text } = await forge.anonymous.get(`/repos/${name}/labels?%63allback=foo`);
      assert.match(text, /^\/\*\*\/foo\(/);
    }
  });

  test('is one whatever refuses the request', async () => {
    const wrong = { authorization: 'token wrong' };
    const accept = { accept: 'text/plain' };
    for (const [status, path, headers] of [
      [401, '/user?callback=foo', wrong],
      [401, '/user?callback=foo', {}],
      [415, '/?callback=foo', accept],
      [400, '/?callback=foo&access_token=1', {}],
      [404, '/api/v3/nothing?callback=foo', {}],
    ] as const) {
      const response = await forge.anonymous.get(path, headers);
      const { meta, data } = JSON.parse(
        /^\/\*\*\/foo\((.*)\)$/s.exec(response.text)?.[1] ?? 'null',
      );
      assert.deepEqual([response.status, meta.status], [200, status], path);
      assert.equal(typeof data.message, 'string');
    }
    const refused = await forge.anonymous.get('/user?callback=foo[0]', wrong);
    assert.equal(refused.status, 401, 'a name that could be a script is never called');
    assert.equal((await forge.anonymous.get('/?callback=foo[0]')).status, 400);
  });

  test('is for reading only', async () => {
    const created = await owner.post(`/repos/${name}/labels?callback=foo`, { name: 'c' });
    assert.equal(created.body.name, 'c');
  });
});
