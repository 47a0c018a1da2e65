import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { openPull, untilChecked } from '../testing/pull-fixture.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('If-Modified-Since', () => {
  let forge: TestForge;
  let owner: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
  });
  after(() => forge.close());
  beforeEach(() => forge.clock.advance(2000));

  /** What a client gets that has what was sent for the path before something happened. */
  async function statusAfter(
    path: string,
    happens: () => Promise<unknown>,
    headers: Record<string, string> = {},
  ): Promise<number> {
    const since = (await owner.get(path, headers)).headers['last-modified'];
    assert.ok(since, path);
    await happens();
    return (await owner.get(path, { ...headers, 'if-modified-since': since })).status;
  }

  const nothing = async (): Promise<void> => {};

  test('is 304 while nothing changes, from the cache and without it', async () => {
    const { path, name } = await openPull(forge, owner);
    await untilChecked(forge, owner, path);
    forge.clock.advance(2000);
    assert.equal((await owner.patch(path, { title: 'Two' })).status, 200);
    for (const each of [path, `${path}/files`, `${path}/commits`, `/repos/${name}`, '/user']) {
      assert.equal(await statusAfter(each, nothing), 304, each);
      assert.equal(await statusAfter(each, nothing), 304, each);
    }
    assert.equal(await statusAfter(path, nothing, { accept: 'application/vnd.github.diff' }), 304);
  });

  test('is 200 for a pull whose test merge, statuses or base have changed', async () => {
    const { path, name, head } = await openPull(forge, owner);
    const check = (): Promise<unknown> => untilChecked(forge, owner, path);
    assert.equal(await statusAfter(path, check), 200);
    forge.clock.advance(2000);
    const fail = (): Promise<unknown> =>
      owner.post(`/repos/${name}/statuses/${head}`, { state: 'failure' });
    assert.equal(await statusAfter(path, fail), 200);
    forge.clock.advance(2000);
    const pull = await owner.get(path);
    const since = pull.headers['last-modified'] ?? '';
    const change = { message: 'm', content: 'bmV3Cg==' };
    assert.equal((await owner.put(`/repos/${name}/contents/new.txt`, change)).status, 201);
    const now = await owner.get(path, { 'if-modified-since': since });
    assert.equal(now.status, 200);
    assert.notEqual(now.body.base.sha, pull.body.base.sha);
  });

  test('is 200 after a second change within a second', async () => {
    const { path } = await openPull(forge, owner);
    await untilChecked(forge, owner, path);
    forge.clock.advance(2000);
    await owner.patch(path, { title: 'One' });
    const edit = (): Promise<unknown> => owner.patch(path, { title: 'Two' });
    assert.equal(await statusAfter(path, edit), 200);
    forge.clock.advance(2000);
    assert.equal(await statusAfter(path, nothing), 200, 'the date is that of both');
  });

  test('is 200 for counts and flags that change without the date', async () => {
    const name = await forge.repository(owner, { init: true });
    const issue = (): Promise<unknown> => owner.post(`/repos/${name}/issues`, { title: 'I' });
    assert.equal(await statusAfter(`/repos/${name}`, issue), 200);
    assert.equal(await statusAfter('/user', () => forge.repository(owner)), 200);
    const react = (): Promise<unknown> =>
      owner.post(`/repos/${name}/issues/1/reactions`, { content: '+1' });
    assert.equal(await statusAfter(`/repos/${name}/issues/1`, react), 200);
  });

  test('is 304 for an asset, and for a commit of git by its SHA, from the first request on', async () => {
    forge.clock.advance(123);
    const name = await forge.repository(owner, { init: true });
    const release = await owner.post(`/repos/${name}/releases`, { tag_name: 'v1' });
    const upload = new URL(release.body.upload_url.replace(/\{.*/, '')).pathname;
    const body = Buffer.from('bytes');
    const asset = await owner.send('POST', `${upload}?name=a.zip`, { body });
    assert.equal(asset.status, 201, asset.text);
    const octets = { accept: 'application/octet-stream' };
    const path = `/repos/${name}/releases/assets/${asset.body.id}`;
    assert.equal(await statusAfter(path, nothing, octets), 304);
    const person = { name: 'A', email: 'a@example.com', date: '2015-01-01T00:00:00Z' };
    const { tree } = (await owner.get(`/repos/${name}/commits/main`)).body.commit;
    const made = { message: 'm', tree: tree.sha, author: person };
    const { sha } = (await owner.post(`/repos/${name}/git/commits`, made)).body;
    const commit = `/repos/${name}/git/commits/${sha}`;
    assert.equal(await statusAfter(commit, nothing), 304, 'not from the cache');
    assert.equal(await statusAfter(commit, nothing), 304, 'from the cache');
    assert.equal(await statusAfter(`/repos/${name}/commits/${sha}`, nothing), 200, 'has accounts');
  });

  test('is 200 for a date that is still to come', async () => {
    const name = await forge.repository(owner);
    const since = new Date(forge.clock.now() + 3_600_000).toUTCString();
    const response = await owner.get(`/repos/${name}`, { 'if-modified-since': since });
    assert.equal(response.status, 200);
  });
});
