import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('templates', () => {
  let forge: TestForge;
  let owner: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
  });
  after(() => forge.close());

  async function textOf(name: string, path: string): Promise<string> {
    const { body } = await owner.get(`/repos/${name}/contents/${path}`);
    return Buffer.from(body.content, 'base64').toString();
  }

  test('that do not exist are refused', async () => {
    for (const path of ['/licenses/none', '/licenses/..%2Fmit', '/gitignore/templates/toString']) {
      assert.equal((await owner.get(path)).status, 404, path);
    }
    for (const field of ['license_template', 'gitignore_template']) {
      const { status, body } = await owner.post('/user/repos', { name: 'no', [field]: 'none' });
      assert.deepEqual([status, body.errors[0].field], [422, field]);
      assert.equal((await owner.get('/repos/owner/no')).status, 404);
    }
  });

  test('of licences are listed, and shown with their text', async () => {
    const { body } = await forge.anonymous.get('/licenses');
    assert.equal(body.length, 13);
    const featured = (await owner.get('/licenses?featured=true&per_page=2')).body;
    assert.deepEqual(
      featured.map((each: { key: string }) => each.key),
      ['apache-2.0', 'gpl-3.0'],
    );
    const mit = (await owner.get('/licenses/MIT')).body;
    assert.deepEqual([mit.key, mit.spdx_id, mit.featured], ['mit', 'MIT', true]);
    assert.match(mit.body, /^MIT License\n\nCopyright \(c\) \[year\] \[fullname\]\n/);
    assert.equal((await owner.get('/licenses/isc')).body.spdx_id, 'ISC');
  });

  test('of .gitignore are listed, and shown as JSON and as they are', async () => {
    const { body } = await forge.anonymous.get('/gitignore/templates');
    assert.ok(body.includes('Node') && body.includes('C++'));
    const path = '/gitignore/templates/Node';
    const { source } = (await owner.get(path)).body;
    assert.match(source, /^node_modules$/m);
    const raw = await owner.get(path, { accept: 'application/vnd.github.raw+json' });
    assert.equal(raw.text, source);
    const cpp = await owner.get('/gitignore/templates/C%2B%2B');
    assert.equal(cpp.body.name, 'C++');
  });

  test('are the first commit of a new repository, with its owner and the year', async () => {
    const { status, body } = await owner.post('/user/repos', {
      name: 'begun',
      license_template: 'mit',
      gitignore_template: 'Node',
    });
    assert.equal(status, 201);
    const name = body.full_name;
    const root = (await owner.get(`/repos/${name}/contents`)).body;
    assert.deepEqual(
      root.map((each: { name: string }) => each.name),
      ['.gitignore', 'LICENSE'],
    );
    const year = new Date(forge.clock.now()).getUTCFullYear();
    assert.match(
      await textOf(name, 'LICENSE'),
      new RegExp(`Copyright \\(c\\) ${year} The owner\n`),
    );
    const { body: license } = await owner.get(`/repos/${name}/license`);
    assert.deepEqual([license.path, license.license.key], ['LICENSE', 'mit']);
  });
});
