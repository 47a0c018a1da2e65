import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { FastifyInstance } from 'fastify';

import { createForgeServer } from '../forge.ts';
import { commitFiles } from '../testing/commits.ts';
import { openPull } from '../testing/pull-fixture.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('the branches, tags and pulls of a commit', () => {
  let forge: TestForge;
  let owner: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('ada');
  });
  after(() => forge.close());

  test('are named on its page, whatever their names', async () => {
    const title = '<script>alert(1)</script>';
    const pull = await openPull(forge, owner, { body: { title } });
    const ref = `refs/tags/v1&"<b>'`;
    const made = await owner.post(`/repos/${pull.name}/git/refs`, { ref, sha: pull.base });
    assert.equal(made.status, 201, made.text);
    const page = await forge.anonymous.get(`/${pull.name}/commit/${pull.base}?refs=all`);
    const refs = sectionOf(page.text);
    assert.match(refs, /href="[^"]*\/tree\/main">main<\/a>\s*<a [^>]*>topic</);
    assert.match(refs, />v1&amp;&quot;&lt;b&gt;&#39;</);
    assert.doesNotMatch(refs, /pull\/1/);
    const { text } = await forge.anonymous.get(`/${pull.name}/commit/${pull.head}?refs=all`);
    assert.match(sectionOf(text), />topic</);
    assert.doesNotMatch(sectionOf(text), />main<|v1/);
    assert.match(sectionOf(text), /pull\/1">&lt;script&gt;alert/);
  });

  test('name the pull that was merged as this commit', async () => {
    const pull = await openPull(forge, owner);
    const merged = await owner.put(`${pull.path}/merge`, { merge_method: 'squash' });
    assert.equal(merged.status, 200, merged.text);
    const { text } = await forge.anonymous.get(`/${pull.name}/commit/${merged.body.sha}`);
    assert.match(sectionOf(text), /Pull request<\/dt>[^]*pull\/1"/);
  });

  test('of very many name some, and count the others', async () => {
    const name = await forge.repository(owner, { init: true });
    const { body } = await owner.get(`/repos/${name}/branches/main`);
    const { sha } = body.commit;
    for (let number = 0; number < 12; number += 1) {
      const ref = `refs/heads/b${number}`;
      assert.equal((await owner.post(`/repos/${name}/git/refs`, { ref, sha })).status, 201);
    }
    const pageUrl = `/${name}/commit/${sha}`;
    const all = sectionOf((await forge.anonymous.get(`${pageUrl}?refs=all`)).text);
    assert.equal(all.match(/class="mark"/g)?.length, 13);
    // What was found is known to the page that does not look for long.
    const some = sectionOf((await forge.anonymous.get(pageUrl)).text);
    assert.equal(some.match(/class="mark"/g)?.length, 10);
    assert.match(some, /commit\/[0-9a-f]{40}\?refs=all#refs">and 3 more</);
  });

  test('are none for a commit that only a pull has left', async () => {
    const pull = await openPull(forge, owner);
    await owner.delete(`/repos/${pull.name}/git/refs/heads/topic`);
    const { text } = await forge.anonymous.get(`/${pull.name}/commit/${pull.head}?refs=all`);
    assert.match(sectionOf(text), /No branch and no tag contains this commit/);
  });

  test('follow the branches as they move', async () => {
    const name = await forge.repository(owner);
    const first = await commitFiles(forge, name, 'main', { a: '1' });
    const pageUrl = `/${name}/commit/${first}?refs=all`;
    assert.doesNotMatch(sectionOf((await forge.anonymous.get(pageUrl)).text), />next</);
    const ref = { ref: 'refs/heads/next', sha: first };
    assert.equal((await owner.post(`/repos/${name}/git/refs`, ref)).status, 201);
    assert.match(sectionOf((await forge.anonymous.get(pageUrl)).text), />next</);
    assert.equal((await owner.delete(`/repos/${name}/git/refs/heads/next`)).status, 204);
    assert.doesNotMatch(sectionOf((await forge.anonymous.get(pageUrl)).text), />next</);
  });

  test('are not shown to those who may not read the repository', async () => {
    const pull = await openPull(forge, owner, { private: true });
    const pageUrl = `/${pull.name}/commit/${pull.base}?refs=all`;
    assert.equal((await forge.anonymous.get(pageUrl)).status, 404);
  });
});

describe('a commit whose branches take long to find', () => {
  let forge: TestForge;
  let server: FastifyInstance;
  let owner: TestUser;
  let pageUrl: string;
  const asked: string[] = [];
  const released = Promise.withResolvers<void>();

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('ada');
    const name = await forge.repository(owner, { init: true });
    const { body } = await owner.get(`/repos/${name}/branches/main`);
    pageUrl = `/${name}/commit/${body.commit.sha}`;
    const repository: typeof forge.git.repository = (id) => ({
      ...forge.git.repository(id),
      async containingRefs({ effort }) {
        asked.push(effort);
        if (effort === 'thorough') await released.promise;
        return undefined;
      },
    });
    server = await createForgeServer({ ...forge.ports, git: { ...forge.git, repository } });
  });
  after(async () => {
    await server.close();
    await forge.close();
  });

  const get = async (url: string, user: TestUser): Promise<{ status: number; text: string }> => {
    const headers = { accept: 'text/html', authorization: `token ${user.token}` };
    const { statusCode, body } = await server.inject({ url, headers });
    return { status: statusCode, text: body };
  };

  test('has a page that does not wait, with a link that does', async () => {
    const { status, text } = await get(pageUrl, owner);
    assert.equal(status, 200);
    assert.deepEqual(asked, ['quick']);
    assert.match(sectionOf(text), new RegExp(`<a href="${pageUrl}\\?refs=all#refs">Find the`));
  });

  test('takes the slots of no others, however many of them one asks for', async () => {
    asked.length = 0;
    const own = Array.from({ length: 6 }, () => get(`${pageUrl}?refs=all`, owner));
    assert.equal((await Promise.race(own)).status, 429);
    assert.deepEqual(asked, ['thorough']);
    const other = get(`${pageUrl}?refs=all`, await forge.user('grace'));
    released.resolve();
    const { text } = await other;
    assert.match(sectionOf(text), /takes too long/);
    const statuses = (await Promise.all(own)).map(({ status }) => status);
    assert.deepEqual(statuses.toSorted(), [200, 200, 200, 200, 200, 429]);
  });
});

function sectionOf(text: string): string {
  return /<section id="refs"[^]*?<\/section>/.exec(text)?.[0] ?? assert.fail(text);
}
