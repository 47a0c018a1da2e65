import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { openPull } from '../testing/pull-fixture.ts';
import { signedInBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

const fields = '... on Comment { id body } isMinimized minimizedReason viewerCanMinimize';
const minimize = `mutation ($id: ID!, $classifier: ReportedContentClassifiers!) {
  minimizeComment(input: { subjectId: $id, classifier: $classifier }) { minimizedComment { ${fields} } } }`;
const unminimize = `mutation ($id: ID!) {
  unminimizeComment(input: { subjectId: $id }) { unminimizedComment { ${fields} } } }`;

describe('hidden comments', () => {
  let forge: TestForge;
  let owner: TestUser;
  let author: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
    author = await forge.user('author');
  });
  after(() => forge.close());

  // oxlint-disable-next-line typescript/no-explicit-any -- tests reach into answers of every shape
  const ask = async (who: TestUser, query: string, variables: object): Promise<any> =>
    (await who.post('/graphql', { query, variables })).body;

  /** A comment of another author on the first issue of a new repository. */
  async function comment(): Promise<{ name: string; path: string; id: string }> {
    const name = await forge.repository(owner);
    await owner.post(`/repos/${name}/issues`, { title: 'T' });
    const { body } = await author.post(`/repos/${name}/issues/1/comments`, { body: 'Old news' });
    return { name, path: `/repos/${name}/issues/comments/${body.id}`, id: body.node_id };
  }

  test('are hidden by users with the triage permission, not by their authors', async () => {
    const { name, path, id } = await comment();
    const variables = { id, classifier: 'OUTDATED' };
    const refused = await ask(author, minimize, variables);
    assert.equal(refused.errors[0].type, 'FORBIDDEN');
    const narrow = await forge.withScopes(owner, ['user']);
    assert.ok(
      ['NOT_FOUND', 'FORBIDDEN'].includes((await ask(narrow, minimize, variables)).errors[0].type),
    );
    for (const classifier of ['OLD', 'outdated', 1]) {
      const { data, errors } = await ask(owner, minimize, { id, classifier });
      assert.ok(errors.length > 0 && !data, String(classifier));
    }
    const issue = (await owner.get(`/repos/${name}/issues/1`)).body.node_id;
    const wrong = await ask(owner, minimize, { ...variables, id: issue });
    assert.equal(wrong.errors[0].type, 'NOT_FOUND');
    assert.equal((await owner.get(path)).body.minimized, null);
    await owner.patch(`/repos/${name}`, { private: true });
    assert.equal((await ask(author, minimize, variables)).errors[0].type, 'NOT_FOUND');
    await owner.patch(`/repos/${name}`, { archived: true });
    const archived = await ask(owner, minimize, variables);
    assert.equal(archived.errors[0].type, 'FORBIDDEN');
    assert.equal((await owner.get(path)).body.minimized, null);
  });

  test('say why they are hidden, over GraphQL and REST, until they are shown again', async () => {
    const { name, path, id } = await comment();
    const hidden = await ask(owner, minimize, { id, classifier: 'OFF_TOPIC' });
    assert.deepEqual(hidden.data.minimizeComment.minimizedComment, {
      id,
      body: 'Old news',
      isMinimized: true,
      minimizedReason: 'off-topic',
      viewerCanMinimize: true,
    });
    const { body } = await author.get(path);
    assert.deepEqual([body.minimized, body.body], [{ reason: 'off-topic' }, 'Old news']);
    const browser = await signedInBrowser(forge, 'author');
    const page = await browser.get(`/${name}/issues/1`);
    assert.match(
      page.text,
      /<summary>This comment is hidden: off-topic<\/summary>[^/]{0,99}Old news/,
    );
    await ask(owner, minimize, { id, classifier: 'SPAM' });
    assert.deepEqual((await author.get(path)).body.minimized, { reason: 'spam' });
    const shown = await ask(owner, unminimize, { id });
    const { isMinimized, minimizedReason } = shown.data.unminimizeComment.unminimizedComment;
    assert.deepEqual([isMinimized, minimizedReason], [false, null]);
    assert.equal((await author.get(path)).body.minimized, null);
  });

  test('are reviews and comments on lines as well', async () => {
    const { name, response } = await openPull(forge, owner);
    const { number, head } = response.body;
    const at = `/repos/${name}/pulls/${number}`;
    const pending = await author.post(`${at}/reviews`, { body: 'Later' });
    const unsubmitted = await ask(owner, minimize, {
      id: pending.body.node_id,
      classifier: 'SPAM',
    });
    assert.equal(unsubmitted.errors[0].type, 'NOT_FOUND');
    const event = { body: 'Now', event: 'COMMENT' };
    const review = await author.post(`${at}/reviews/${pending.body.id}/events`, event);
    const [file] = (await owner.get(`${at}/files`)).body;
    const line = { body: 'Here', commit_id: head.sha, path: file.filename, line: 1 };
    const lineComment = await author.post(`${at}/comments`, line);
    assert.equal(lineComment.status, 201);
    for (const { body } of [review, lineComment]) {
      const { data } = await ask(owner, minimize, { id: body.node_id, classifier: 'RESOLVED' });
      const { isMinimized, minimizedReason } = data.minimizeComment.minimizedComment;
      assert.deepEqual([isMinimized, minimizedReason], [true, 'resolved']);
    }
    const query = `query ($id: ID!) { node(id: $id) { ... on PullRequest {
      reviews(first: 5) { nodes { isMinimized viewerCanMinimize } }
      reviewThreads(first: 5) { nodes { comments(first: 5) { nodes { minimizedReason } } } } } } }`;
    const { data } = await ask(author, query, { id: response.body.node_id });
    assert.deepEqual(data.node.reviews.nodes[0], { isMinimized: true, viewerCanMinimize: false });
    const [thread] = data.node.reviewThreads.nodes;
    assert.equal(thread.comments.nodes[0].minimizedReason, 'resolved');
    const page = await (await signedInBrowser(forge, 'owner')).get(`/${name}/pull/${number}`);
    assert.match(page.text, /This comment is hidden: resolved/);
  });
});
