import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { signedInBrowser, type TestBrowser } from '../testing/test-browser.ts';
import {
  startTestForge,
  type TestForge,
  type TestResponse,
  type TestUser,
} from '../testing/test-forge.ts';

describe('the pages of releases and tags', () => {
  let forge: TestForge;
  let owner: TestUser;
  let own: TestBrowser;
  let reading: TestBrowser;
  let name: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('ada');
    await forge.user('grace');
    own = await signedInBrowser(forge, 'ada');
    reading = await signedInBrowser(forge, 'grace');
    name = await forge.repository(owner);
    await commitFiles(forge, name, 'main', { 'a.txt': 'one\n' });
  });
  after(() => forge.close());

  async function create(fields: Readonly<Record<string, string>>): Promise<TestResponse> {
    assert.equal((await own.get(`/${name}/releases/new`)).status, 200);
    return own.submit(`/${name}/releases/create`, { target_commitish: 'main', ...fields });
  }

  const released = async (tag: string): Promise<TestResponse> =>
    owner.get(`/repos/${name}/releases/tags/${tag}`);

  async function tokenOf(browser: TestBrowser): Promise<string> {
    const { text } = await browser.get('/settings/tokens');
    return /name="form_token" value="([^"]+)"/.exec(text)?.[1] ?? '';
  }

  async function upload(
    id: number,
    files: readonly File[],
    by: TestBrowser = own,
  ): Promise<TestResponse> {
    const form = new FormData();
    form.append('form_token', await tokenOf(by));
    form.append('id', String(id));
    for (const file of files) form.append('files', file);
    return by.upload(`/${name}/releases/upload`, form);
  }

  test('are not there for readers, and their forms refuse them', async () => {
    await create({ tag_name: 'v0', as: 'publish' });
    const { id } = (await released('v0')).body;
    for (const page of ['releases/new', 'releases/edit/v0']) {
      assert.equal((await reading.get(`/${name}/${page}`)).status, 404, page);
    }
    const { text } = await reading.get(`/${name}/releases`);
    assert.doesNotMatch(text, /releases\/(?:new|edit)/);
    const form_token = await tokenOf(reading);
    for (const act of ['create', 'update', 'delete', 'delete-asset']) {
      const fields = { form_token, id: String(id), asset: '1', tag_name: 'x' };
      const { status } = await reading.post(`/${name}/releases/${act}`, fields);
      assert.ok([403, 404].includes(status), `${act}: ${status}`);
    }
    const sent = await upload(id, [new File(['x'], 'x.txt')], reading);
    assert.ok([403, 404].includes(sent.status), String(sent.status));
    const deleted = await reading.post(`/${name}/tags/delete`, { form_token, tag: 'v0' });
    assert.equal(deleted.status, 403);
    assert.equal((await released('v0')).status, 200);
  });

  test('publish a release with a new tag', async () => {
    const fields = { tag_name: 'v1', name: 'One', body: 'First\r\nline', prerelease: '1' };
    const response = await create({ ...fields, as: 'publish' });
    assert.equal(response.status, 303, response.text);
    assert.match(response.headers['location'] ?? '', /\/releases\/tag\/v1$/);
    const { body } = await released('v1');
    assert.deepEqual(
      [body.name, body.body, body.draft, body.prerelease],
      ['One', 'First\nline', false, true],
    );
    assert.equal((await owner.get(`/repos/${name}/git/ref/tags/v1`)).status, 200);
  });

  test('refuse what the API refuses, with what was filled in', async () => {
    for (const fields of [
      { tag_name: '', name: 'Kept' },
      { tag_name: 'a..b', name: 'Kept' },
      { tag_name: 'v1', name: 'Kept' },
      { tag_name: 'new', name: 'Kept', target_commitish: 'none' },
    ]) {
      const response = await create({ ...fields, as: 'publish' });
      assert.equal(response.status, 422, JSON.stringify(fields));
      assert.match(response.text, /role="alert"/);
      assert.match(response.text, /value="Kept"/);
    }
  });

  test('keep a draft, which is published later', async () => {
    const response = await create({ tag_name: 'v2', name: 'Two', as: 'draft', generate: '1' });
    assert.equal(response.status, 303, response.text);
    assert.equal((await owner.get(`/repos/${name}/git/ref/tags/v2`)).status, 404);
    const shown = await own.get(response.headers['location'] ?? '');
    const [, editor = ''] = /href="([^"]*\/releases\/edit\/[^"]*)"/.exec(shown.text) ?? [];
    const page = await own.get(editor);
    assert.equal(page.status, 200, page.text);
    assert.match(page.text, /Full Changelog/);
    const fields = { tag_name: 'v2', name: 'Second', target_commitish: 'main', as: 'publish' };
    assert.equal((await own.submit(`/${name}/releases/update`, fields)).status, 303);
    assert.equal((await released('v2')).body.name, 'Second');
    assert.equal((await owner.get(`/repos/${name}/git/ref/tags/v2`)).status, 200);
  });

  test('get files, and lose them', async () => {
    await create({ tag_name: 'files', as: 'publish' });
    const { id } = (await released('files')).body;
    const missing = await upload(id, []);
    assert.equal(missing.status, 422);
    assert.match(missing.text, /Choose a file/);
    const files = [new File(['one'], 'one.txt', { type: 'text/plain' }), new File(['2'], 'b.bin')];
    const response = await upload(id, files);
    assert.equal(response.status, 303, response.text);
    const { assets } = (await released('files')).body;
    assert.deepEqual(
      assets.map((asset: { name: string; size: number }) => [asset.name, asset.size]),
      [
        ['one.txt', 3],
        ['b.bin', 1],
      ],
    );
    assert.equal((await upload(id, files)).status, 422);
    assert.equal((await upload(id + 1000, files)).status, 404);
    const got = await own.get(`/${name}/releases/download/files/one.txt`);
    assert.equal(got.text, 'one');
    await own.get(`/${name}/releases/edit/files`);
    const gone = await own.submit(`/${name}/releases/delete-asset`);
    assert.equal(gone.status, 303, gone.text);
    assert.equal((await released('files')).body.assets.length, 1);
  });

  test('lead to the files of a tag as archives', async () => {
    await create({ tag_name: 'with/#slash', as: 'publish' });
    const { text } = await own.get(`/${name}/tags`);
    const links = [...text.matchAll(/href="([^"]*\/archive\/[^"]*slash\.(?:zip|tar\.gz))"/g)];
    assert.equal(links.length, 2);
    for (const [, link = ''] of links) assert.equal((await own.get(link)).status, 200, link);
  });

  test('delete a release, and its tag on the page of tags', async () => {
    await create({ tag_name: 'gone', as: 'publish' });
    await own.get(`/${name}/releases/edit/gone`);
    assert.equal((await own.submit(`/${name}/releases/delete`)).status, 303);
    assert.equal((await released('gone')).status, 404);
    assert.match((await own.get(`/${name}/tags`)).text, /Delete the tag gone/);
    const form_token = await tokenOf(own);
    const deleted = await own.post(`/${name}/tags/delete`, { form_token, tag: 'gone' });
    assert.equal(deleted.status, 303, deleted.text);
    assert.equal((await owner.get(`/repos/${name}/git/ref/tags/gone`)).status, 404);
    const again = await own.post(`/${name}/tags/delete`, { form_token, tag: 'gone' });
    assert.equal(again.status, 422);
  });
});
