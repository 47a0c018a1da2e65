import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { acceptedEncoding } from '#platform/content-encoding.ts';

describe('compressed answers', () => {
  let forge: TestForge;
  let owner: TestUser;
  let name: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    name = await forge.repository(owner, { init: true });
    // The size of a new repository is measured in the background, and shows in its responses.
    await forge.ports.background.idle();
  });
  after(() => forge.close());

  const gzip = { 'accept-encoding': 'gzip, deflate' };

  test('what is not asked for compressed, is small, or is no JSON comes as it is', async () => {
    for (const [path, headers] of [
      [`/repos/${name}`, {}],
      [`/repos/${name}`, { 'accept-encoding': 'identity' }],
      [`/repos/${name}`, { 'accept-encoding': 'gzip;q=0' }],
      [`/repos/${name}`, { 'accept-encoding': 'deflate' }],
      [`/repos/${name}/branches`, gzip],
      [`/repos/${name}/commits/main`, { ...gzip, accept: 'application/vnd.github.v3.diff' }],
      [`/repos/${name}?callback=show`, gzip],
    ] as const) {
      const response = await owner.get(path, headers);
      assert.equal(response.status, 200, path);
      assert.equal(
        response.headers['content-encoding'],
        undefined,
        JSON.stringify([path, headers]),
      );
      if (response.headers['etag'] !== undefined) assert.match(response.headers['etag'], /^"/);
      assert.match(response.headers['vary'] ?? '', /\bAccept-Encoding\b/);
    }
  });

  test('what was created is never compressed', async () => {
    const response = await owner.send('POST', '/user/repos', {
      body: { name: 'new' },
      headers: gzip,
    });
    assert.equal(response.status, 201);
    assert.ok(response.bytes.length > 1000);
    assert.equal(response.headers['content-encoding'], undefined);
    assert.match(response.headers['etag'] ?? '', /^"/);
  });

  test('raw files and git come as they are', async () => {
    await commitFiles(forge, name, 'main', { 'long.txt': 'long\n'.repeat(1000) });
    await forge.ports.background.idle();
    const raw = await owner.get(`/repos/${name}/contents/long.txt`, {
      ...gzip,
      accept: 'application/vnd.github.v3.raw',
    });
    assert.deepEqual([raw.headers['content-encoding'], raw.bytes.length], [undefined, 5000]);
    const git = await owner.get(`/${name}.git/info/refs?service=git-upload-pack`, gzip);
    assert.deepEqual([git.status, git.headers['content-encoding']], [200, undefined]);
  });

  test('the compressed form says the same under a weak tag of the same digest', async () => {
    const plain = await owner.get(`/repos/${name}`);
    for (const encoding of ['gzip', 'br']) {
      // The second time it comes from the cache.
      for (let turn = 0; turn < 2; turn += 1) {
        const response = await owner.get(`/repos/${name}`, { 'accept-encoding': encoding });
        assert.equal(response.headers['content-encoding'], encoding);
        assert.equal(response.headers['etag'], `W/${plain.headers['etag']}`);
        assert.equal(response.headers['content-length'], String(response.bytes.length));
        assert.ok(response.bytes.length < plain.bytes.length / 2);
        assert.equal(response.text, plain.text);
        assert.match(response.headers['vary'] ?? '', /\bAccept-Encoding\b/);
      }
    }
    const again = await owner.get(`/repos/${name}`);
    assert.deepEqual(
      [again.text, again.headers['etag'], again.headers['content-encoding']],
      [plain.text, plain.headers['etag'], undefined],
    );
  });

  test('either tag gets 304 with the strong one, in either form', async () => {
    const strong = (await owner.get(`/repos/${name}/pulls`)).headers['etag'] ?? '';
    const resource = (await owner.get(`/repos/${name}`)).headers['etag'] ?? '';
    for (const [path, tag] of [
      [`/repos/${name}`, resource],
      [`/repos/${name}`, `W/${resource}`],
      [`/repos/${name}/pulls`, strong],
    ] as const) {
      for (const form of [{}, gzip]) {
        const response = await owner.get(path, { ...form, 'if-none-match': tag });
        assert.deepEqual([response.status, response.text], [304, '']);
        assert.equal(response.headers['etag'], tag.replace('W/', ''));
        assert.equal(response.headers['content-encoding'], undefined);
      }
    }
  });

  test('HEAD has the encoding of GET', async () => {
    const path = '/user';
    for (const form of [{}, gzip]) {
      const get = await owner.get(path, form);
      const head = await owner.send('HEAD', path, { headers: form });
      assert.equal(head.bytes.length, 0);
      for (const header of ['etag', 'content-encoding', 'content-length', 'vary']) {
        assert.equal(head.headers[header], get.headers[header], header);
      }
    }
  });

  test('a change is seen in every form', async () => {
    await owner.get(`/repos/${name}`, gzip);
    await owner.patch(`/repos/${name}`, { description: 'Now described.' });
    for (const form of [{}, gzip, { 'accept-encoding': 'br' }]) {
      assert.equal((await owner.get(`/repos/${name}`, form)).body.description, 'Now described.');
    }
  });

  test('the encoding is the one with the greatest weight', () => {
    for (const [header, encoding] of [
      [undefined, undefined],
      ['', undefined],
      ['identity, *;q=0', undefined],
      ['identity, gzip;q=0.5', undefined],
      ['compress, deflate', undefined],
      ['br;q=0, gzip;q=0.000', undefined],
      ['gzip;q=bad', undefined],
      ['gzip', 'gzip'],
      ['GZIP ; Q=0.3', 'gzip'],
      ['gzip, br', 'br'],
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip;q=1.0, br;q=0.9', 'gzip'],
      ['br;q=0, *', 'gzip'],
    ] as const) {
      assert.equal(acceptedEncoding(header), encoding, header ?? 'none');
    }
  });
});
