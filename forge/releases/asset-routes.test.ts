import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';

import { createLog } from '#platform/log.ts';

import { RefusalError } from '../errors/api-error.ts';
import type { AssetFiles } from '../ports/asset-files.ts';
import { openAssetFiles } from './asset-files.ts';
import { inTemporaryAssets } from '../testing/temporary-assets.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import type { TestResponse } from '../testing/test-forge.ts';
import { createAssetPruner } from './prune-assets.ts';

const bytes = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 251));
const hour = 3_600_000;
const octets = { accept: 'application/octet-stream' };

describe('assets of releases', () => {
  let forge: TestForge;
  let owner: TestUser;
  let stranger: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    stranger = await forge.user('stranger');
  });
  after(() => forge.close());

  async function release(options: { private?: boolean; draft?: boolean } = {}): Promise<{
    name: string;
    path: string;
    upload: (query: string, body?: Buffer, type?: string) => Promise<TestResponse>;
  }> {
    const { private: hidden = false, draft = false } = options;
    const name = await forge.repository(owner, { init: true, private: hidden });
    const { body } = await owner.post(`/repos/${name}/releases`, { tag_name: 'v1', draft });
    const assetPath = new URL(body.upload_url.replace(/\{.*/, '')).pathname;
    assert.match(assetPath, /^\/api\/uploads\/repos\//);
    return {
      name,
      path: `/repos/${name}/releases/${body.id}`,
      upload: (query, content = bytes, type = 'application/zip') =>
        owner.send('POST', `${assetPath}${query}`, {
          body: content,
          headers: { 'content-type': type },
        }),
    };
  }

  test('are uploaded by those who can push, with a name of their own', async () => {
    const { name, path, upload } = await release();
    for (const who of [stranger, forge.anonymous]) {
      const refused = await who.send('POST', `/api/uploads${path}/assets?name=a`, { body: bytes });
      assert.equal(refused.status, 404);
    }
    const elsewhere = `/api/uploads/repos/${name}/releases/999999/assets?name=a`;
    assert.equal((await owner.send('POST', elsewhere, { body: bytes })).status, 404);
    assert.deepEqual((await upload('')).body.errors, [
      { resource: 'ReleaseAsset', code: 'missing_field', field: 'name' },
    ]);
    assert.equal((await upload('?name=..')).body.errors[0].code, 'invalid');
    assert.match((await upload(`?name=${'x'.repeat(300)}`)).body.errors[0].message, /too long/);
    assert.match((await upload('?name=a', Buffer.alloc(0))).body.errors[0].message, /^size must/);
    assert.equal((await upload('?name=a.zip')).status, 201);
    assert.deepEqual((await upload('?name=a.zip')).body.errors, [
      { resource: 'ReleaseAsset', code: 'already_exists', field: 'name' },
    ]);
    await owner.patch(`/repos/${name}`, { archived: true });
    assert.equal((await upload('?name=b.zip')).status, 403);
  });

  test('have a digest, a type and a label, and a name without special characters', async () => {
    const { path, upload } = await release();
    const made = await upload('?name=my%20tool%20(1).zip&label=The%20tool');
    assert.equal(made.headers['location'], made.body.url);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const { name, label, size, digest, content_type: type, state, uploader } = made.body;
    assert.deepEqual(
      [name, label, size, digest, type, state, uploader.login],
      ['my.tool.1.zip', 'The tool', 1000, `sha256:${sha256}`, 'application/zip', 'uploaded', 'own'],
    );
    const hidden = await upload('?name=.env', bytes, 'text/html; x="<b>"');
    assert.deepEqual(
      [hidden.body.name, hidden.body.content_type],
      ['default.env', 'application/octet-stream'],
    );
    assert.equal((await owner.get(path)).body.assets.length, 2);
    const second = await owner.get(`${path}/assets?per_page=1&page=2`);
    assert.equal(second.body[0].name, 'default.env');
    const one = new URL(made.body.url).pathname;
    assert.equal((await owner.patch(one, { name: '.env' })).body.errors[0].code, 'already_exists');
    const renamed = await owner.patch(one, { name: 'tool.zip', label: null });
    assert.deepEqual([renamed.body.name, renamed.body.label], ['tool.zip', null]);
    assert.equal((await stranger.patch(one, { name: 'x' })).status, 404);
    assert.equal((await stranger.delete(one)).status, 404);
    assert.equal((await owner.delete(one)).status, 204);
    assert.equal((await owner.get(one)).status, 404);
    assert.equal((await owner.get(path)).body.assets.length, 1);
  });

  test('are downloaded whole, in parts and not again, as nothing that a browser shows', async () => {
    const { name, upload } = await release();
    const { body } = await upload('?name=page.html', bytes, 'text/html');
    const assetPath = new URL(body.url).pathname;
    const page = new URL(body.browser_download_url).pathname;
    assert.equal(page, `/${name}/releases/download/v1/page.html`);
    for (const path of [assetPath, page, `/${name}/releases/latest/download/page.html`]) {
      const whole = await forge.anonymous.get(path, octets);
      assert.equal(whole.status, 200, path);
      assert.ok(whole.bytes.equals(bytes));
      assert.equal(whole.headers['content-type'], 'application/octet-stream');
      assert.equal(whole.headers['content-disposition'], 'attachment; filename="page.html"');
      assert.match(whole.headers['content-security-policy'] ?? '', /sandbox/);
      assert.equal(whole.headers['x-content-type-options'], 'nosniff');
      assert.equal(whole.headers['accept-ranges'], 'bytes');
      assert.equal(whole.headers['content-length'], '1000');
      const part = async (range: string): Promise<TestResponse> =>
        forge.anonymous.get(path, { ...octets, range });
      const middle = await part('bytes=10-19');
      assert.deepEqual([middle.status, middle.headers['content-range']], [206, 'bytes 10-19/1000']);
      assert.ok(middle.bytes.equals(bytes.subarray(10, 20)));
      assert.ok((await part('bytes=990-')).bytes.equals(bytes.subarray(990)));
      assert.ok((await part('bytes=-5')).bytes.equals(bytes.subarray(995)));
      assert.equal((await part('bytes=5-2')).status, 200);
      assert.equal((await part('bytes=0-1,5-6')).status, 200);
      const beyond = await part('bytes=1000-');
      assert.deepEqual([beyond.status, beyond.headers['content-range']], [416, 'bytes */1000']);
      assert.equal(beyond.text, '');
      const changed = await forge.anonymous.get(path, {
        ...octets,
        range: 'bytes=0-1',
        'if-range': '"other"',
      });
      assert.equal(changed.status, 200);
      const head = await forge.anonymous.send('HEAD', path, { headers: octets });
      assert.deepEqual([head.status, head.headers['content-length'], head.text], [200, '1000', '']);
    }
    const tag = (await forge.anonymous.get(assetPath, octets)).headers['etag'] ?? '';
    const again = await forge.anonymous.get(assetPath, { ...octets, 'if-none-match': tag });
    assert.equal(again.status, 304);
    await forge.ports.background.idle();
    // Three whole ones, six without a satisfiable range that begin the file, and the one for the tag.
    assert.equal((await owner.get(assetPath)).body.download_count, 13);
    assert.equal((await owner.get(assetPath)).body.content_type, 'text/html');
    assert.equal((await forge.anonymous.get(`/${name}/releases/download/v1/none`)).status, 404);
    assert.equal(
      (await forge.anonymous.get(`/${name}/releases/download/v2/page.html`)).status,
      404,
    );
    assert.equal((await owner.get(`/repos/${name}/releases`, octets)).status, 415);
  });

  test('of drafts and private repositories are hidden', async () => {
    const draft = await release({ draft: true });
    const { body: asset } = await draft.upload('?name=a.bin');
    const hidden = await release({ private: true });
    const { body: secret } = await hidden.upload('?name=b.bin');
    for (const each of [asset, secret]) {
      const [api, page] = [new URL(each.url), new URL(each.browser_download_url)];
      for (const who of [stranger, forge.anonymous]) {
        assert.equal((await who.get(api.pathname, octets)).status, 404);
        assert.equal((await who.get(page.pathname)).status, 404);
      }
      assert.ok((await owner.get(api.pathname, octets)).bytes.equals(bytes));
      assert.ok((await owner.get(page.pathname)).bytes.equals(bytes));
    }
    assert.equal((await stranger.get(`${draft.path}/assets`)).status, 404);
    const list = await forge.anonymous.get(`/${draft.name}/releases`, { accept: 'text/html' });
    assert.match(list.text, /No release yet/);
  });

  test('are on the pages of releases', async () => {
    const { name, path, upload } = await release();
    await upload('?name=a.zip');
    await owner.patch(path, { name: '<b>One</b>', body: '**Notes**' });
    const { body } = await owner.get(path);
    const page = await forge.anonymous.get(new URL(body.html_url).pathname, {
      accept: 'text/html',
    });
    assert.equal(page.status, 200, page.text);
    assert.match(page.text, /&lt;b&gt;One/);
    assert.match(page.text, /<strong>Notes<\/strong>/);
    assert.match(page.text, /releases\/download\/v1\/a\.zip/);
    assert.match((await forge.anonymous.get(`/${name}/releases`)).text, /a\.zip/);
    const latest = await forge.anonymous.get(`/${name}/releases/latest`);
    assert.deepEqual([latest.status, latest.headers['location']], [302, body.html_url]);
    assert.equal((await forge.anonymous.get(`/${name}/releases/tag/none`)).status, 404);
  });

  test('of which two are uploaded at once with the same name are one', async () => {
    const { path, upload } = await release();
    const both = await Promise.all([upload('?name=a.zip'), upload('?name=a.zip')]);
    assert.deepEqual(both.map(({ status }) => status).toSorted(), [201, 422]);
    const { body } = await owner.get(`${path}/assets`);
    assert.equal(body.length, 1);
  });
});

describe('an upload that takes long', () => {
  /** Begins an upload over a socket, and resolves when its first bytes are being stored. */
  async function whileUploading(
    use: (running: {
      readonly forge: TestForge;
      readonly sending: ClientRequest;
      /** When its bytes are stored, or are no more to come. */
      readonly stored: Promise<unknown>;
      readonly brief: TestUser;
      readonly assets: () => Promise<unknown[]>;
    }) => Promise<void>,
  ): Promise<void> {
    await inTemporaryAssets(async (real, folder) => {
      const begun = Promise.withResolvers<void>();
      const stored = Promise.withResolvers<unknown>();
      const assetFiles: AssetFiles = {
        ...real,
        async write(content, bytesMax) {
          begun.resolve();
          const writing = real.write(content, bytesMax);
          stored.resolve(writing.catch((error: unknown) => error));
          return writing;
        },
      };
      const forge = await startTestForge({}, { assetFiles });
      try {
        const owner = await forge.user('own');
        const brief = await forge.withScopes(owner, ['repo']);
        const name = await forge.repository(owner, { init: true });
        const { body } = await owner.post(`/repos/${name}/releases`, { tag_name: 'v1' });
        const path = `/repos/${name}/releases/${body.id}/assets`;
        const sending = httpRequest(`http://${await forge.listen()}/api/uploads${path}?name=a`, {
          method: 'POST',
          headers: { authorization: `token ${brief.token}`, 'user-agent': 'test' },
        });
        sending.on('error', () => {});
        sending.write(Buffer.alloc(100_000));
        await begun.promise;
        const assets = async (): Promise<unknown[]> => (await owner.get(path)).body;
        await use({ forge, sending, stored: stored.promise, brief, assets });
        const left = (await readdir(folder, { recursive: true })).filter((each) => each.length > 2);
        assert.deepEqual(left, []);
      } finally {
        await forge.close();
      }
    });
  }

  test('leaves nothing when it is cut off', () =>
    whileUploading(async ({ sending, stored, assets }) => {
      sending.destroy();
      assert.ok((await stored) instanceof RefusalError);
      assert.deepEqual(await assets(), []);
    }));

  test('is refused when its token is revoked meanwhile', () =>
    whileUploading(async ({ forge, sending, brief, assets }) => {
      await forge.database.write((sql) =>
        sql.run('delete from tokens where last_eight = $1', brief.token.slice(-8)),
      );
      const answered = new Promise<IncomingMessage>((resolve) => sending.once('response', resolve));
      sending.end();
      const response = await answered;
      assert.equal(response.statusCode, 401);
      response.resume();
      assert.deepEqual(await assets(), []);
    }));
});

describe('the files of assets', () => {
  test('are whole or not there, never larger than allowed, and keep their names', () =>
    inTemporaryAssets(async (files, folder) => {
      const { file, size, sha256 } = await files.write(Readable.from([bytes, bytes]), 2000);
      const whole = Buffer.concat([bytes, bytes]);
      assert.equal(size, 2000);
      assert.equal(sha256, createHash('sha256').update(whole).digest('hex'));
      await assert.rejects(files.write(Readable.from([bytes, bytes]), 1999), {
        refusal: { kind: 'body-too-large', bytesMax: 1999 },
      });
      const broken = new Readable({
        read() {
          this.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
        },
      });
      await assert.rejects(files.write(broken, 10), {
        refusal: { kind: 'malformed-request', message: 'The upload was cut off.' },
      });
      assert.deepEqual(await readdir(folder), [file.slice(0, 2)]);
      await assert.rejects(files.open('../secret', { first: 0, last: 1 }), /no name/);
    }));

  test('are written to their end although another node starts, and removed where a crash cut them off', () =>
    inTemporaryAssets(async (files, folder) => {
      const content = new Readable({ read() {} });
      content.push(bytes);
      const writing = files.write(content, 2000);
      const unfinished = async (): Promise<string[]> =>
        (await readdir(folder)).filter((name) => name.startsWith('new-'));
      while ((await unfinished()).length === 0) await new Promise(setImmediate);
      const other = await openAssetFiles(folder);
      const [name = ''] = await unfinished();
      const { mtimeMs } = await stat(join(folder, name));
      await other.removeUnfinished(mtimeMs);
      content.push(null);
      assert.equal((await writing).size, 1000);
      await writeFile(join(folder, 'new-cut-off'), bytes);
      await other.removeUnfinished(Number.MAX_SAFE_INTEGER);
      assert.deepEqual(await unfinished(), []);
    }));

  test('are removed a day after their asset, and only then', () =>
    inTemporaryAssets(async (assetFiles, folder) => {
      const forge = await startTestForge({}, { assetFiles });
      try {
        const { database, clock } = forge;
        const owner = await forge.user('own');
        const name = await forge.repository(owner, { init: true });
        const { body } = await owner.post(`/repos/${name}/releases`, { tag_name: 'v1' });
        const upload = `/repos/${name}/releases/${body.id}/assets?name=`;
        const unnamed = await assetFiles.write(Readable.from([bytes]), 1000);
        const { body: gone } = await owner.post(`${upload}gone`, bytes);
        assert.equal((await owner.post(`${upload}stays`, bytes)).status, 201);
        const prune = createAssetPruner(
          { assetFiles, clock, database },
          createLog('error', () => {}),
        );
        const left = async (): Promise<number> => {
          await prune();
          const found = await readdir(folder, { recursive: true });
          return found.filter((path) => path.length > 32).length;
        };
        // However long ago they were uploaded: the day begins when they are no asset any more.
        assert.equal(await left(), 3);
        clock.advance(24 * hour);
        assert.equal(await left(), 2, unnamed.file);
        assert.equal((await owner.delete(`/repos/${name}/releases/assets/${gone.id}`)).status, 204);
        assert.equal(await left(), 2);
        clock.advance(23 * hour);
        assert.equal(await left(), 2);
        clock.advance(hour);
        assert.equal(await left(), 1);
        assert.equal((await owner.delete(`/repos/${name}`)).status, 204);
        assert.equal(await left(), 1);
        clock.advance(24 * hour);
        assert.equal(await left(), 0);
      } finally {
        await forge.close();
      }
    }));
});
