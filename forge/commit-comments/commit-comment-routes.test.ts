import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('comments on commits', () => {
  let forge: TestForge;
  let owner: TestUser;
  let stranger: TestUser;
  let name: string;
  let sha: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    stranger = await forge.user('stranger');
    name = await forge.repository(owner);
    sha = await commitFiles(forge, name, 'main', { a: 'a' });
  });
  after(() => forge.close());

  const at = (path: string): string => `/repos/${name}${path}`;

  test('are refused without access, a known commit or a text', async () => {
    const hidden = await forge.repository(owner, { private: true, init: true });
    for (const path of ['/comments', '/commits/main/comments']) {
      assert.equal((await stranger.get(`/repos/${hidden}${path}`)).status, 404);
    }
    const path = `/repos/${hidden}/commits/main/comments`;
    assert.equal((await stranger.post(path, { body: 'Hi' })).status, 404);
    assert.equal(
      (await forge.anonymous.post(at(`/commits/${sha}/comments`), { body: 'Hi' })).status,
      401,
    );
    const long = { body: 'x', path: 'x'.repeat(4097) };
    for (const body of [{}, { body: ' ' }, { body: 'x', line: 0 }, { body: 'x', path: 3 }, long]) {
      assert.equal((await owner.post(at(`/commits/${sha}/comments`), body)).status, 422);
    }
    assert.equal((await owner.post(at('/commits/none/comments'), { body: 'x' })).status, 422);
    assert.equal((await owner.get(at('/comments/99'))).status, 404);
  });

  test('are written, listed, edited and deleted, with webhooks', async () => {
    const events = ['commit_comment'];
    const config = { url: 'http://receiver.test/' };
    await owner.post(at('/hooks'), { config, events });
    const body = { body: 'Why?', path: 'a', line: 1, position: 1 };
    const made = await stranger.post(at('/commits/main/comments'), body);
    assert.equal(made.status, 201, made.text);
    assert.equal(made.body.commit_id, sha);
    assert.equal(made.body.url, made.headers['location']);
    assert.deepEqual((await owner.get(at(`/commits/${sha}/comments`))).body, [made.body]);
    assert.deepEqual((await owner.get(at('/comments'))).body, [made.body]);
    const path = at(`/comments/${made.body.id}`);
    const [event] = (await owner.get(at('/events'))).body;
    assert.deepEqual([event.type, event.payload.comment.body], ['CommitCommentEvent', 'Why?']);
    const sent = await forge.database.read((sql) =>
      sql.all<{ event: string }>(`select event from webhook_deliveries where event <> 'ping'`),
    );
    assert.deepEqual(
      sent.map((delivery) => delivery.event),
      ['commit_comment'],
    );
    const mate = await forge.user('mate');
    assert.equal((await mate.patch(path, { body: 'Mine' })).status, 403);
    assert.equal((await mate.delete(path)).status, 403);
    forge.clock.advance(1000);
    const edited = await stranger.patch(path, { body: 'How?' });
    assert.deepEqual([edited.status, edited.body.body], [200, 'How?']);
    assert.equal((await owner.delete(path)).status, 204);
    assert.deepEqual((await owner.get(at('/comments'))).body, []);
    const types = (await owner.get(at('/events'))).body.map((each: { type: string }) => each.type);
    assert.ok(!types.includes('CommitCommentEvent'));
  });
});
