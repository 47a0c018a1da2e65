import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('Atom feeds', () => {
  let forge: TestForge;
  let owner: TestUser;
  let name: string;
  let hidden: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    name = await forge.repository(owner, { name: 'open' });
    hidden = await forge.repository(owner, { name: 'hidden', private: true, init: true });
    const message = 'Say <hello> & \u0001 go\n\nA body.';
    const base = await commitFiles(forge, name, 'main', { a: 'a' }, { message });
    await commitFiles(forge, name, 'feature/x', { a: 'b' }, { parents: [base] });
    await commitFiles(forge, name, 'odd.atom', { a: 'c' }, { parents: [base] });
    await owner.post(`/repos/${name}/releases`, { tag_name: 'v1', name: 'First', body: 'Notes' });
    await owner.post(`/repos/${name}/releases`, { tag_name: 'v2', name: 'Draft', draft: true });
    await owner.post(`/repos/${name}/issues`, { title: 'Public' });
    await owner.post(`/repos/${hidden}/issues`, { title: 'Secret' });
  });
  after(() => forge.close());

  async function feed(path: string, who: Pick<TestUser, 'get'> = forge.anonymous): Promise<string> {
    const { status, headers, text } = await who.get(path);
    assert.equal(status, 200, path);
    assert.match(headers['content-type'] ?? '', /^application\/atom\+xml/, path);
    assert.match(text, /^<\?xml version="1\.0"/);
    return text;
  }

  const entries = (text: string): number => text.split('<entry>').length - 1;

  test('show commits, releases and tags to those who may read the repository', async () => {
    const commits = await feed(`/${name}/commits.atom`);
    assert.equal(entries(commits), 1);
    assert.match(commits, /<title>Say &lt;hello&gt; &amp; {3}go<\/title>/);
    assert.equal(entries(await feed(`/${name}/commits/feature/x.atom`)), 2);
    const releases = await feed(`/${name}/releases.atom`, owner);
    assert.deepEqual([entries(releases), releases.includes('First')], [1, true]);
    assert.match(await feed(`/${name}/tags.atom`), /<title>v1<\/title>/);
    for (const tail of ['commits.atom', 'commits/main.atom', 'releases.atom', 'tags.atom']) {
      assert.equal((await forge.anonymous.get(`/${hidden}/${tail}`)).status, 404, tail);
    }
    assert.equal((await forge.anonymous.get(`/${name}/commits/none.atom`)).status, 404);
    const branch = await forge.anonymous.get(`/${name}/commits/odd.atom`);
    assert.match(branch.headers['content-type'] ?? '', /^text\/html/);
    assert.equal(entries(await feed(`/${name}/commits/odd.atom.atom`)), 2);
  });

  test('show what happens in public repositories alone', async () => {
    const { body } = await forge.anonymous.get('/feeds');
    const timeline = new URL(body.timeline_url).pathname;
    const user = new URL(body.user_url.replace('{user}', 'own')).pathname;
    for (const path of [timeline, user]) {
      const text = await feed(path, owner);
      assert.match(text, /own: IssuesEvent in own\/open/, path);
      assert.doesNotMatch(text, /hidden/, path);
    }
    assert.equal((await forge.anonymous.get('/none.atom')).status, 404);
  });
});
