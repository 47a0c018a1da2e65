import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { commitFiles } from '../testing/commits.ts';
import { openPull } from '../testing/pull-fixture.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('images of other servers on pages', () => {
  let forge: TestForge;
  let owner: TestUser;
  let server: Server;
  let base: string;
  let asked = 0;

  before(async () => {
    server = createServer((request, response) => {
      asked += 1;
      const type = request.url?.endsWith('.svg') ? 'image/svg+xml' : 'image/png';
      response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' });
      response.end(type === 'image/png' ? 'png' : '<svg onload="alert(1)"/>');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server has such an address
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  async function started(imageProxy: 'off' | 'on' | 'private'): Promise<void> {
    forge = await startTestForge({ imageProxy });
    owner = await forge.user('ada');
  }
  const imageUrlsIn = (text: string): string[] =>
    [...text.matchAll(/src="(\/-\/image\/[^"]*)"/g)].map(([, imageUrl = '']) => imageUrl);

  test('are fetched by this server for texts and files, for those who read them', async () => {
    await started('private');
    try {
      const { name } = await openPull(forge, owner);
      const body = `![a](${base}/a.png) <img src="${base}/b.svg" width="20"> ![own](/x.png)`;
      await owner.patch(`/repos/${name}/pulls/1`, { body });
      await owner.post(`/repos/${name}/issues/1/comments`, { body });
      await commitFiles(forge, name, 'main', { 'README.md': body });
      for (const [page, count] of [
        [`/${name}/pull/1`, 4],
        [`/${name}`, 2],
        [`/${name}/blob/main/README.md`, 2],
      ] as const) {
        const { text, headers } = await forge.anonymous.get(page);
        assert.equal(imageUrlsIn(text).length, count, page);
        assert.doesNotMatch(text, /src="http/);
        assert.match(String(headers['content-security-policy']), /img-src 'self' data:;/);
      }
      assert.equal(asked, 0);
      const [png = '', svg = ''] = imageUrlsIn((await forge.anonymous.get(`/${name}`)).text);
      for (const [imageUrl, type, content] of [
        [png, 'image/png', 'png'],
        [svg, 'image/svg+xml', '<svg onload="alert(1)"/>'],
      ] as const) {
        const { status, headers, text } = await forge.anonymous.get(imageUrl);
        assert.equal(status, 200);
        assert.equal(text, content);
        assert.equal(headers['content-type'], type);
        assert.equal(headers['x-content-type-options'], 'nosniff');
        assert.equal(headers['content-disposition'], 'attachment');
        assert.equal(headers['cache-control'], 'public, max-age=3600');
        assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
        assert.match(String(headers['content-security-policy']), /^default-src 'none'.*; sandbox$/);
      }
      await forge.anonymous.get(png);
      assert.equal(asked, 2);
      const forged = png.replace(/[0-9a-f]{64}/, '0'.repeat(64));
      assert.equal((await forge.anonymous.get(forged)).status, 404);
      assert.equal((await forge.anonymous.get(`${png}AAAA`)).status, 404);
      assert.equal(asked, 2);
    } finally {
      await forge.close();
    }
  });

  test('are not fetched from private addresses, and the reason is a page', async () => {
    await started('on');
    try {
      const { name } = await openPull(forge, owner);
      asked = 0;
      await owner.patch(`/repos/${name}/pulls/1`, { body: `![a](${base}/a.png)` });
      const [imageUrl = ''] = imageUrlsIn((await forge.anonymous.get(`/${name}/pull/1`)).text);
      const { status, text } = await forge.anonymous.get(imageUrl);
      assert.equal(status, 404);
      assert.match(text, /It has no address, or a loopback or private one\./);
      assert.equal(asked, 0);
    } finally {
      await forge.close();
    }
  });

  test('are links where the setting is off, and URLs of before lead nowhere', async () => {
    await started('off');
    try {
      const { name } = await openPull(forge, owner);
      await owner.patch(`/repos/${name}/pulls/1`, { body: `![a](${base}/a.png)` });
      const { text } = await forge.anonymous.get(`/${name}/pull/1`);
      assert.deepEqual(imageUrlsIn(text), []);
      assert.ok(text.includes(`<a href="${base}/a.png" rel="nofollow">a</a>`));
      const encoded = Buffer.from(`${base}/a.png`).toString('base64url');
      const imageUrl = `/-/image/test-${'0'.repeat(64)}/${encoded}`;
      assert.equal((await forge.anonymous.get(imageUrl)).status, 404);
    } finally {
      await forge.close();
    }
  });
});
