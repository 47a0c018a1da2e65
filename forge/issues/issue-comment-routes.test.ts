import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { openPull } from '../testing/pull-fixture.ts';
import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('comments on issues', () => {
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    outsider = await forge.user('stranger');
  });
  after(() => forge.close());

  async function openIssue(): Promise<{ name: string; path: string }> {
    const name = await forge.repository(owner);
    const response = await owner.post(`/repos/${name}/issues`, { title: 'x' });
    assert.equal(response.status, 201, response.text);
    return { name, path: `/repos/${name}/issues/1` };
  }

  test('a comment needs a user, an issue and a body', async () => {
    const { path, name } = await openIssue();
    assert.equal((await forge.anonymous.post(`${path}/comments`, { body: 'x' })).status, 401);
    assert.equal((await owner.post(`${path}9/comments`, { body: 'x' })).status, 404);
    assert.equal((await owner.get(`${path}9/comments`)).status, 404);
    assert.match(
      (await owner.post(`${path}/comments`, {})).body.errors[0].message,
      /"body" wasn't supplied\./,
    );
    assert.deepEqual((await owner.post(`${path}/comments`, { body: ' ' })).body.errors, [
      { resource: 'IssueComment', code: 'missing_field', field: 'body' },
    ]);
    const long = await owner.post(`${path}/comments`, { body: 'x'.repeat(65_537) });
    assert.equal(long.status, 422);
    assert.deepEqual(long.body.errors, [
      {
        resource: 'IssueComment',
        code: 'unprocessable',
        field: 'data',
        message: 'Body is too long (maximum is 65536 characters)',
      },
    ]);
    assert.equal((await owner.get(`/repos/${name}/issues/comments/1000000`)).status, 404);
    const hidden = await forge.repository(owner, { private: true });
    await owner.post(`/repos/${hidden}/issues`, { title: 'x' });
    assert.equal((await outsider.get(`/repos/${hidden}/issues/1/comments`)).status, 404);
    assert.equal((await outsider.post(`/repos/${hidden}/issues/1/comments`, {})).status, 404);
    assert.deepEqual((await owner.get(`${path}/comments`)).body, []);
  });

  test('a comment is changed and deleted by its author and by who may push', async () => {
    const { path, name } = await openIssue();
    const mine = await owner.post(`${path}/comments`, { body: 'mine' });
    const comment = `/repos/${name}/issues/comments/${mine.body.id}`;
    assert.equal((await outsider.patch(comment, { body: 'yours' })).status, 403);
    assert.equal((await outsider.delete(comment)).status, 403);
    assert.equal((await owner.get(comment)).body.body, 'mine');
    const theirs = await outsider.post(`${path}/comments`, { body: 'theirs' });
    const other = `/repos/${name}/issues/comments/${theirs.body.id}`;
    forge.clock.advance(1000);
    const edited = await outsider.patch(other, { body: 'theirs, better' });
    assert.equal(edited.body.body, 'theirs, better');
    assert.notEqual(edited.body.updated_at, edited.body.created_at);
    assert.equal((await owner.get(path)).body.comments, 2);
    assert.equal((await owner.delete(other)).status, 204);
    assert.equal((await owner.delete(other)).status, 404);
    assert.equal((await owner.get(path)).body.comments, 1);
  });

  test('a locked conversation is for those who may push', async () => {
    const { path, name } = await openIssue();
    await owner.put(`${path}/lock`, { lock_reason: 'spam' });
    const refused = await outsider.post(`${path}/comments`, { body: 'x' });
    assert.deepEqual(
      [refused.status, refused.body.message],
      [403, 'Unable to create comment because issue is locked.'],
    );
    assert.equal((await owner.post(`${path}/comments`, { body: 'x' })).status, 201);
    await owner.delete(`${path}/lock`);
    assert.equal((await outsider.post(`${path}/comments`, { body: 'x' })).status, 201);
    assert.equal((await owner.get(`/repos/${name}/issues/comments`)).body.length, 2);
  });

  test('a comment is read in every format, with what its author is to the repository', async () => {
    const { path, name } = await openIssue();
    const created = await owner.post(`${path}/comments`, { body: '**yes**' });
    assert.equal(created.status, 201, created.text);
    assert.equal(created.headers['location'], created.body.url);
    assert.equal(
      created.body.html_url,
      `http://forge.test/${name}/issues/1#issuecomment-${created.body.id}`,
    );
    assert.equal(created.body.author_association, 'OWNER');
    const comment = `/repos/${name}/issues/comments/${created.body.id}`;
    const read = async (format: string): Promise<Record<string, unknown>> =>
      (await owner.get(comment, { accept: `application/vnd.github.v3.${format}+json` })).body;
    const full = await read('full');
    assert.deepEqual(
      [full['body'], full['body_text'], full['body_html']],
      ['**yes**', 'yes', '<p><strong>yes</strong></p>'],
    );
    assert.equal('body' in (await read('html')), false);
    assert.equal((await read('text'))['body_text'], 'yes');
    assert.equal((await read('raw'))['body'], '**yes**');
    const stranged = await outsider.post(`${path}/comments`, { body: 'no' });
    assert.equal(stranged.body.author_association, 'NONE');
  });

  test('comments are listed oldest first, and since a time', async () => {
    const { path, name } = await openIssue();
    for (const body of ['a', 'b']) await owner.post(`${path}/comments`, { body });
    forge.clock.advance(60_000);
    await owner.post(`${path}/comments`, { body: 'c' });
    const bodies = async (url: string): Promise<string[]> =>
      (await owner.get(url)).body.map((comment: { body: string }) => comment.body);
    assert.deepEqual(await bodies(`${path}/comments`), ['a', 'b', 'c']);
    const since = new Date(forge.clock.now()).toISOString();
    assert.deepEqual(await bodies(`${path}/comments?since=${since}`), ['c']);
    assert.deepEqual(await bodies(`${path}/comments?since=whenever`), ['a', 'b', 'c']);
    const all = `/repos/${name}/issues/comments`;
    assert.deepEqual(await bodies(`${all}?direction=desc`), ['a', 'b', 'c']);
    assert.deepEqual(await bodies(`${all}?sort=created`), ['c', 'b', 'a']);
    assert.deepEqual(await bodies(`${all}?sort=updated&direction=asc`), ['a', 'b', 'c']);
    const page = await owner.get(`${path}/comments?per_page=1&page=2`);
    assert.match(page.headers['link'] ?? '', /rel="prev".*rel="next"/);
  });

  test('the popularity of pulls is the number of their comments', async () => {
    const { name, path, base } = await openPull(forge, owner);
    await commitFiles(forge, name, 'other', { other: 'x\n' }, { parents: [base] });
    await owner.post(`/repos/${name}/pulls`, { title: 'Other', head: 'other', base: 'main' });
    await outsider.post(`/repos/${name}/issues/1/comments`, { body: 'Good' });
    assert.equal((await owner.get(path)).body.comments, 1);
    const numbers = async (direction: string): Promise<number[]> =>
      (await owner.get(`/repos/${name}/pulls?sort=popularity&direction=${direction}`)).body.map(
        (pull: { number: number }) => pull.number,
      );
    assert.deepEqual(await numbers('desc'), [1, 2]);
    assert.deepEqual(await numbers('asc'), [2, 1]);
    const [comment] = (await owner.get(`/repos/${name}/issues/1/comments`)).body;
    assert.equal(comment.html_url, `http://forge.test/${name}/pull/1#issuecomment-${comment.id}`);
  });
});
