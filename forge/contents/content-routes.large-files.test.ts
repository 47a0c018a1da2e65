import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('a file that is too large for an object', () => {
  const binary = Buffer.concat([Buffer.alloc(1), randomBytes(3 * 1024 * 1024)]);
  const text = Buffer.from('text\n'.repeat(500_000));
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;
  let name: string;
  let serverUrl: string;
  const raw = { accept: 'application/vnd.github.v3.raw' };

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    outsider = await forge.user('stranger');
    name = await forge.repository(owner, { init: true, private: true });
    for (const [path, content] of Object.entries({ binary, text })) {
      const response = await owner.put(`/repos/${name}/contents/${path}`, {
        message: path,
        content: content.toString('base64'),
      });
      assert.equal(response.status, 201, response.text);
    }
    serverUrl = `http://${await forge.listen()}`;
  });
  after(() => forge.close());

  const authorization = (): Record<string, string> => ({ authorization: `token ${owner.token}` });

  test('is sent as it is, with its length, from the API and from the pages', async () => {
    const rendered = {
      binary: ['application/octet-stream', binary],
      text: ['text/plain; charset=utf-8', text],
    } as const;
    for (const [path, [type, content]] of Object.entries(rendered)) {
      for (const [url, headers] of [
        [`${serverUrl}/api/v3/repos/${name}/contents/${path}`, raw],
        [`${serverUrl}/${name}/raw/main/${path}`, {}],
      ] as const) {
        const response = await fetch(url, { headers: { ...authorization(), ...headers } });
        assert.equal(response.status, 200, url);
        assert.equal(response.headers.get('content-length'), String(content.length));
        assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
        if (url.includes('/raw/')) assert.equal(response.headers.get('content-type'), type);
        const received = Buffer.from(await response.arrayBuffer());
        assert.ok(received.equals(content), url);
      }
    }
  });

  test('is not read for those who have it, or ask for its head only', async () => {
    const path = `/repos/${name}/contents/binary`;
    const header = `blob ${binary.length}\0`;
    const id = createHash('sha1').update(header).update(binary).digest('hex');
    const head = await owner.send('HEAD', path, { headers: raw });
    assert.equal(head.status, 200);
    assert.equal(head.headers['content-length'], String(binary.length));
    assert.equal(head.headers['etag'], `"${id}"`);
    const page = await fetch(`${serverUrl}/${name}/raw/main/binary`, {
      method: 'HEAD',
      headers: authorization(),
    });
    assert.equal(page.headers.get('content-length'), String(binary.length));
    const again = await owner.get(path, { ...raw, 'if-none-match': `"${id}"` });
    assert.equal(again.status, 304);
    assert.equal(again.headers['content-length'], undefined);
  });

  test('is hidden from users without access', async () => {
    assert.equal((await outsider.get(`/repos/${name}/contents/binary`, raw)).status, 404);
    assert.equal((await forge.anonymous.get(`/${name}/raw/main/binary`)).status, 404);
  });

  test('leaves nothing behind where the reader goes away', async () => {
    const url = `${serverUrl}/api/v3/repos/${name}/contents/binary`;
    // More than one caller may have under way: each must have released its slot.
    for (let count = 0; count < 20; count += 1) {
      const reader = new AbortController();
      const response = await fetch(url, {
        headers: { ...authorization(), ...raw },
        signal: reader.signal,
      });
      assert.equal(response.status, 200);
      reader.abort();
    }
    const response = await fetch(url, { headers: { ...authorization(), ...raw } });
    assert.equal((await response.arrayBuffer()).byteLength, binary.length);
  });
});
