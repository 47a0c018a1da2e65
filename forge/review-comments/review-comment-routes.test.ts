import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { openPull, type OpenedPull } from '../testing/pull-fixture.ts';
import { commitFiles } from '../testing/commits.ts';
import {
  startTestForge,
  type TestResponse,
  type TestForge,
  type TestUser,
} from '../testing/test-forge.ts';

/** `first` to `last`, each on a line. */
function numbers(first: number, last: number, changes: Record<number, string> = {}): string {
  const lines = Array.from({ length: last - first + 1 }, (_, index) => {
    const line = first + index;
    return changes[line] ?? `${line}`;
  });
  return `${lines.join('\n')}\n`;
}

describe('comments on lines', () => {
  let forge: TestForge;
  let owner: TestUser;
  let reader: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    reader = await forge.user('stranger');
  });
  after(() => forge.close());

  /** A pull that changes lines 10 and 40 of a file of 50, and nothing else. */
  async function changedFile(options: { private?: boolean } = {}): Promise<OpenedPull> {
    const name = await forge.repository(owner, options);
    const base = await commitFiles(forge, name, 'main', {
      'a b.txt': numbers(1, 50),
      other: 'x\n',
    });
    const text = numbers(1, 50, { 10: 'ten', 40: 'forty' });
    const head = await commitFiles(forge, name, 'topic', { 'a b.txt': text }, { parents: [base] });
    const input = { title: 'Change', head: 'topic', base: 'main' };
    const response = await owner.post(`/repos/${name}/pulls`, input);
    assert.equal(response.status, 201, response.text);
    const { number } = response.body;
    return { name, number, base, head, path: `/repos/${name}/pulls/${number}`, response };
  }

  async function comment(
    pull: OpenedPull,
    position: Record<string, unknown>,
    user = reader,
  ): Promise<TestResponse> {
    return user.post(`${pull.path}/comments`, {
      body: 'Why?',
      commit_id: pull.head,
      path: 'a b.txt',
      ...position,
    });
  }

  test('what the pull does not show cannot be commented on', async () => {
    const pull = await changedFile();
    const path = `${pull.path}/comments`;
    assert.equal((await forge.anonymous.post(path, { body: 'x' })).status, 401);
    assert.equal((await reader.post(`/repos/${pull.name}/pulls/99/comments`, {})).status, 422);
    const hidden = await changedFile({ private: true });
    assert.equal((await reader.get(`${hidden.path}/comments`)).status, 404);
    for (const [position, message] of [
      [{ line: 1 }, 'pull_request_review_thread.line must be part of the diff'],
      [{ line: 51 }, 'pull_request_review_thread.line must be part of the diff'],
      [{ position: 99 }, 'pull_request_review_thread.position must be part of the diff'],
      [{ position: 9 }, 'pull_request_review_thread.position must be part of the diff'],
      [{ line: 10, path: 'other' }, 'pull_request_review_thread.path is not part of the diff'],
      [
        { line: 10, start_line: 10 },
        'pull_request_review_thread.start_line must precede the end line.',
      ],
      [
        { line: 40, start_line: 10 },
        'pull_request_review_thread.start_line must be part of the same hunk as the line.',
      ],
      [
        { line: 10, start_line: 2 },
        'pull_request_review_thread.start_line must be part of the diff',
      ],
      [
        { line: 10, commit_id: pull.base.replace(/^./, 'f') },
        'commit_id is not part of the pull request',
      ],
      [{}, 'Specify the line of the comment: line and side, or position.'],
    ] as const) {
      const response = await comment(pull, position);
      assert.equal(response.status, 422, JSON.stringify(position));
      assert.equal(response.body.errors[0].message, message);
    }
    for (const wrong of [
      { line: 0 },
      { line: '10' },
      { line: 10, side: 'UP' },
      { line: 10, body: ' ' },
    ]) {
      assert.equal((await comment(pull, wrong)).status, 422, JSON.stringify(wrong));
    }
    const bare = await reader.post(path, { body: 'x' });
    assert.deepEqual(
      bare.body.errors.map((error: { field: string }) => error.field),
      ['commit_id', 'path'],
    );
    assert.deepEqual((await owner.get(path)).body, []);
    assert.equal((await owner.get(pull.path)).body.review_comments, 0);
  });

  test('a comment says of which lines it is, and the pull counts it', async () => {
    const pull = await changedFile();
    const created = await comment(pull, { line: 10, start_line: 10, start_side: 'LEFT' });
    assert.equal(created.status, 201, created.text);
    const { body } = created;
    const url = `http://forge.test/api/v3/repos/${pull.name}/pulls/comments/${body.id}`;
    assert.equal(created.headers['location'], url);
    assert.deepEqual(
      [body.url, body.path, body.position, body.original_position, body.line, body.original_line],
      [url, 'a b.txt', 5, 5, 10, 10],
    );
    assert.deepEqual(
      [body.side, body.start_side, body.start_line, body.commit_id, body.original_commit_id],
      ['RIGHT', 'LEFT', 10, pull.head, pull.head],
    );
    assert.equal(body.diff_hunk, '@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten');
    assert.equal(body.html_url, `${pull.response.body.html_url}#discussion_r${body.id}`);
    const { _links: links } = body;
    assert.equal(links.pull_request.href, pull.response.body.url);
    assert.equal(body.in_reply_to_id, undefined);
    const review = await owner.get(`${pull.path}/reviews/${body.pull_request_review_id}`);
    assert.deepEqual([review.body.state, review.body.body], ['COMMENTED', '']);
    assert.equal((await owner.get(pull.path)).body.review_comments, 1);
    const commentsPath = pull.response.body.review_comments_url.slice('http://forge.test'.length);
    assert.deepEqual((await owner.get(commentsPath)).body, [body]);
    assert.deepEqual((await owner.get(`/repos/${pull.name}/pulls/comments`)).body, [body]);
    assert.deepEqual((await owner.get(url.slice('http://forge.test'.length))).body, body);
  });

  test('a position in the diff names the same line', async () => {
    const pull = await changedFile();
    const removed = await comment(pull, { position: 4 });
    assert.deepEqual([removed.body.side, removed.body.line], ['LEFT', 10]);
    const later = await comment(pull, { position: 14 });
    assert.deepEqual([later.body.side, later.body.line, later.body.position], ['RIGHT', 40, 14]);
    assert.equal((await comment(pull, { line: 40 })).body.position, 14);
    assert.equal((await comment(pull, { line: 43, side: 'LEFT' })).body.position, 17);
  });

  test('answers go to the comment that began the thread', async () => {
    const pull = await changedFile();
    const first = (await comment(pull, { line: 10 })).body;
    const replies = `${pull.path}/comments/${first.id}/replies`;
    assert.equal((await forge.anonymous.post(replies, { body: 'x' })).status, 401);
    assert.equal(
      (await owner.post(`${pull.path}/comments/999999/replies`, { body: 'x' })).status,
      404,
    );
    const other = await openPull(forge, owner);
    assert.equal(
      (await owner.post(`${other.path}/comments/${first.id}/replies`, { body: 'x' })).status,
      404,
    );
    const unknown = await owner.post(`${other.path}/comments`, {
      body: 'x',
      in_reply_to: first.id,
    });
    assert.equal(unknown.body.errors[0].field, 'in_reply_to');
    const tooLarge = { body: 'x', in_reply_to: 1e300 };
    assert.equal((await owner.post(`${other.path}/comments`, tooLarge)).status, 422);
    const second = await owner.post(replies, { body: 'Because.' });
    assert.equal(second.status, 201, second.text);
    const third = await reader.post(`${pull.path}/comments`, {
      body: 'Ah.',
      in_reply_to: second.body.id,
    });
    assert.equal(third.status, 201, third.text);
    for (const { body } of [second, third]) {
      assert.deepEqual(
        [body.in_reply_to_id, body.position, body.line, body.diff_hunk],
        [first.id, first.position, first.line, first.diff_hunk],
      );
    }
    assert.equal((await owner.get(pull.path)).body.review_comments, 3);
  });

  test('a comment is changed by its author and by who may push, and removed', async () => {
    const pull = await changedFile();
    const { id, url } = (await comment(pull, { line: 10 })).body;
    const path = `/repos/${pull.name}/pulls/comments/${id}`;
    const outsider = await forge.user();
    assert.equal((await forge.anonymous.patch(path, { body: 'x' })).status, 401);
    assert.equal((await outsider.patch(path, { body: 'x' })).status, 403);
    assert.equal((await outsider.delete(path)).status, 403);
    assert.equal((await reader.patch(path, { body: '' })).status, 422);
    const changed = await reader.patch(path, { body: 'Why **so**?' });
    assert.deepEqual(
      [changed.status, changed.body.url, changed.body.body],
      [200, url, 'Why **so**?'],
    );
    const rich = { accept: 'application/vnd.github.v3.full+json' };
    assert.match((await owner.get(path, rich)).body.body_html, /<strong>so<\/strong>/);
    const response = await owner.post(`${pull.path}/comments/${id}/replies`, { body: 'x' });
    assert.equal((await owner.delete(path)).status, 204);
    assert.equal((await owner.get(path)).status, 404);
    const [left, ...others] = (await owner.get(`${pull.path}/comments`)).body;
    assert.deepEqual([left.id, left.in_reply_to_id, others], [response.body.id, undefined, []]);
    assert.equal((await owner.get(pull.path)).body.review_comments, 1);
    assert.equal((await owner.get(`${pull.path}/reviews`)).body.length, 1, 'the empty one is gone');
  });

  test('a comment moves with its line and has no position once the line is gone', async () => {
    const pull = await changedFile();
    const name = 'a b.txt';
    const created = (await comment(pull, { line: 40, start_line: 38 })).body;
    const left = (await comment(pull, { line: 10, side: 'LEFT' })).body;
    const path = `/repos/${pull.name}/pulls/comments/${created.id}`;
    const leftPath = `/repos/${pull.name}/pulls/comments/${left.id}`;
    const longer = `zero\n${numbers(1, 50, { 10: 'ten', 40: 'forty' })}`;
    const second = await commitFiles(forge, pull.name, 'topic', { [name]: longer });
    const moved = (await owner.get(path)).body;
    assert.deepEqual([moved.line, moved.original_line, moved.start_line], [41, 40, 39]);
    assert.deepEqual([moved.commit_id, moved.original_commit_id], [second, pull.head]);
    assert.notEqual(moved.position, moved.original_position);
    assert.equal(
      (await comment({ ...pull, head: second }, { line: 41 })).body.position,
      moved.position,
    );
    assert.equal((await owner.get(leftPath)).body.line, 10);
    // Rewound and written anew: what was commented on is on no branch any more.
    const other = { [name]: numbers(1, 50, { 40: '4O' }) };
    await commitFiles(forge, pull.name, 'topic', other, { parents: [pull.base] });
    const gone = (await owner.get(path)).body;
    assert.deepEqual([gone.position, gone.line, gone.start_line], [null, null, null]);
    assert.deepEqual([gone.original_position, gone.original_line], [created.position, 40]);
    assert.equal(gone.commit_id, pull.head);
    assert.equal(gone.diff_hunk, created.diff_hunk);
    assert.equal((await owner.get(leftPath)).body.position, null, 'nothing is removed there now');
    // Written as it was: the line is back.
    const again = numbers(1, 50, { 40: 'forty' });
    await commitFiles(forge, pull.name, 'topic', { [name]: again });
    assert.equal((await owner.get(path)).body.line, 40);
  });

  test('a comment follows its file when it is renamed and when the base moves', async () => {
    const pull = await changedFile();
    const created = (await comment(pull, { line: 10 })).body;
    const path = `/repos/${pull.name}/pulls/comments/${created.id}`;
    const text = numbers(1, 50, { 10: 'ten', 40: 'forty' });
    await commitFiles(forge, pull.name, 'topic', { 'a b.txt': null, 'c.txt': text });
    assert.deepEqual((await owner.get(path)).body.line, 10);
    await commitFiles(forge, pull.name, 'main', { other: 'y\n' }, { parents: [pull.base] });
    assert.deepEqual((await owner.get(path)).body.line, 10);
    await commitFiles(forge, pull.name, 'topic', { 'c.txt': null });
    assert.deepEqual((await owner.get(path)).body.line, null);
  });

  test('commented commits are protected by refs that are hidden from clients', async () => {
    const pull = await changedFile();
    await comment(pull, { line: 10 });
    const refs = await owner.get(`/repos/${pull.name}/git/matching-refs`);
    assert.doesNotMatch(refs.text, /internal/);
  });

  test('a review brings its comments, all or none', async () => {
    const pull = await changedFile();
    const path = `${pull.path}/reviews`;
    const at = (line: number, body = `line ${line}`): object => ({ path: 'a b.txt', line, body });
    const refused = await reader.post(path, { event: 'COMMENT', comments: [at(10), at(1)] });
    assert.equal(refused.status, 422);
    assert.deepEqual((await owner.get(path)).body, []);
    for (const comments of [[{ path: 'a b.txt', line: 10 }], [at(10, '')], [7]]) {
      assert.equal((await reader.post(path, { event: 'COMMENT', comments })).status, 422);
    }
    const review = await reader.post(path, {
      event: 'REQUEST_CHANGES',
      comments: [at(10), { path: 'a b.txt', position: 14, body: 'line 40' }],
    });
    assert.equal(review.status, 200, review.text);
    const listed = await owner.get(`${path}/${review.body.id}/comments`);
    assert.deepEqual(
      listed.body.map((each: { line: number; body: string }) => [each.line, each.body]),
      [
        [10, 'line 10'],
        [40, 'line 40'],
      ],
    );
    assert.equal((await owner.get(pull.path)).body.review_comments, 2);
  });

  test('comments of a draft are seen by its author in the review, and counted once it is submitted', async () => {
    const pull = await changedFile();
    const path = `${pull.path}/reviews`;
    const comments = [{ path: 'a b.txt', line: 10, body: 'Hm.' }];
    const draft = await reader.post(path, { comments });
    const own = `${path}/${draft.body.id}/comments`;
    const [hidden] = (await reader.get(own)).body;
    assert.equal((await owner.get(own)).status, 404);
    assert.equal((await reader.get(`/repos/${pull.name}/pulls/comments/${hidden.id}`)).status, 404);
    assert.deepEqual((await reader.get(`${pull.path}/comments`)).body, []);
    assert.equal((await owner.get(pull.path)).body.review_comments, 0);
    const submitted = await reader.post(`${path}/${draft.body.id}/events`, { event: 'COMMENT' });
    assert.equal(submitted.status, 200, submitted.text);
    assert.equal((await owner.get(pull.path)).body.review_comments, 1);
    assert.equal((await owner.get(`${pull.path}/comments`)).body[0].id, hidden.id);
  });

  test('a draft is thrown away with its comments by its author, and nothing that was submitted', async () => {
    const pull = await changedFile();
    const path = `${pull.path}/reviews`;
    const comments = [{ path: 'a b.txt', line: 10, body: 'Hm.' }];
    const draft = `${path}/${(await reader.post(path, { comments })).body.id}`;
    assert.equal((await forge.anonymous.delete(draft)).status, 401);
    assert.equal((await owner.delete(draft)).status, 404);
    const gone = await reader.delete(draft);
    assert.deepEqual([gone.status, gone.body.state], [200, 'PENDING']);
    assert.equal((await reader.get(draft)).status, 404);
    const said = await reader.post(path, { event: 'COMMENT', comments });
    assert.equal((await reader.delete(`${path}/${said.body.id}`)).status, 422);
    assert.equal((await owner.get(pull.path)).body.review_comments, 1);
  });

  test('the author changes the body of a review', async () => {
    const pull = await changedFile();
    const review = await reader.post(`${pull.path}/reviews`, { event: 'COMMENT', body: 'Hm.' });
    const path = `${pull.path}/reviews/${review.body.id}`;
    assert.equal((await forge.anonymous.put(path, { body: 'x' })).status, 401);
    assert.equal((await owner.put(path, { body: 'x' })).status, 403);
    for (const body of [{}, { body: ' ' }])
      assert.equal((await reader.put(path, body)).status, 422);
    const changed = await reader.put(path, { body: 'Fine.' });
    assert.deepEqual(
      [changed.status, changed.body.body, changed.body.state],
      [200, 'Fine.', 'COMMENTED'],
    );
  });

  test('lists page, sort and leave out what is older', async () => {
    const pull = await changedFile();
    const first = (await comment(pull, { line: 10 })).body;
    forge.clock.advance(60_000);
    const second = (await comment(pull, { line: 40 })).body;
    const ids = async (query: string): Promise<number[]> =>
      (await owner.get(`${pull.path}/comments${query}`)).body.map(
        (each: { id: number }) => each.id,
      );
    assert.deepEqual(await ids(''), [first.id, second.id]);
    assert.deepEqual(await ids('?sort=created&direction=desc'), [second.id, first.id]);
    assert.deepEqual(await ids('?per_page=1&page=2'), [second.id]);
    assert.deepEqual(await ids(`?since=${second.created_at}`), [second.id]);
  });

  test('a locked pull can be commented on by those who may push', async () => {
    const pull = await changedFile();
    await owner.put(`/repos/${pull.name}/issues/${pull.number}/lock`);
    assert.equal((await comment(pull, { line: 10 })).status, 403);
    assert.equal((await comment(pull, { line: 10 }, owner)).status, 201);
  });
});
