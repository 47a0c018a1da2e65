import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { furnish, type FurnishedRepository } from '../testing/furnished-repository.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('reactions', () => {
  let forge: TestForge;
  let owner: TestUser;
  let stranger: TestUser;
  let open: FurnishedRepository;
  let hidden: FurnishedRepository;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    stranger = await forge.user('stranger');
    await forge.user('guest');
    await forge.organization(owner, 'acme');
    await owner.post('/orgs/acme/teams', { name: 'crew', privacy: 'closed' });
    open = await furnish(forge, owner, { name: 'open' });
    hidden = await furnish(forge, owner, { name: 'hidden', private: true });
  });
  after(() => forge.close());

  /** Everything that can be reacted to. */
  function subjects(of: FurnishedRepository): string[] {
    const at = `/repos/${of.fullName}`;
    const value = (name: string, path = ''): string =>
      of.parameter(path, name) ?? assert.fail(name);
    return [
      `${at}/issues/${value('issue_number')}`,
      `${at}/issues/${value('pull_number')}`,
      `${at}/issues/comments/${value('comment_id', '/issues/')}`,
      `${at}/pulls/comments/${value('comment_id', '/pulls/')}`,
      `${at}/comments/${value('commit_comment_id')}`,
      `${at}/releases/${value('release_id')}`,
    ];
  }

  test('are refused without access, a scope, or a known content', async () => {
    const narrow = await forge.withScopes(stranger, ['user']);
    const heart = { content: 'heart' };
    for (const subject of subjects(hidden)) {
      assert.equal((await stranger.get(`${subject}/reactions`)).status, 404, subject);
      assert.equal((await stranger.post(`${subject}/reactions`, heart)).status, 404, subject);
    }
    for (const subject of subjects(open)) {
      const path = `${subject}/reactions`;
      assert.equal((await forge.anonymous.post(path, heart)).status, 401, subject);
      assert.equal((await narrow.post(path, heart)).status, 404, subject);
      assert.equal((await stranger.post(path, { content: 'joy' })).status, 422, subject);
      assert.equal((await stranger.post(path, {})).status, 422, subject);
      assert.equal((await stranger.get(`${path}?content=joy`)).status, 422, subject);
      const missing = path.replace(/\d+\/reactions$/, '999999/reactions');
      assert.equal((await stranger.post(missing, heart)).status, 404, missing);
    }
  });

  test('are made once, counted, listed and taken back by who made them', async () => {
    for (const subject of subjects(open)) {
      const path = `${subject}/reactions`;
      const counted = (await owner.get(subject)).body.reactions;
      const made = await stranger.post(path, { content: 'rocket' });
      assert.deepEqual([made.status, made.body.content], [201, 'rocket'], subject);
      const again = await stranger.post(path, { content: 'rocket' });
      assert.deepEqual([again.status, again.body], [200, made.body], subject);
      const { reactions } = (await owner.get(subject)).body;
      assert.equal(reactions.url, `http://forge.test/api/v3${path}`);
      assert.deepEqual(
        [reactions.rocket, reactions.total_count],
        [1, counted.total_count + 1],
        subject,
      );
      const listed = (await owner.get(`${path}?content=rocket`)).body;
      assert.deepEqual(listed, [made.body]);
      assert.equal((await owner.delete(`${path}/${made.body.id}`)).status, 404, subject);
      const elsewhere = subject.includes('/releases/') ? subjects(open)[0] : subjects(open)[5];
      const wrong = `${elsewhere}/reactions/${made.body.id}`;
      assert.equal((await stranger.delete(wrong)).status, 404, wrong);
      assert.equal((await stranger.delete(`${path}/${made.body.id}`)).status, 204, subject);
      assert.deepEqual((await owner.get(subject)).body.reactions, counted, subject);
    }
  });

  test('in a locked conversation are for those who may push', async () => {
    const at = `/repos/${open.fullName}`;
    const number = open.parameter('', 'issue_number');
    assert.equal((await owner.put(`${at}/issues/${number}/lock`, {})).status, 204);
    const [issue = '', , comment = ''] = subjects(open);
    for (const subject of [issue, comment]) {
      const path = `${subject}/reactions`;
      assert.equal((await stranger.post(path, { content: 'eyes' })).status, 403, subject);
      assert.ok((await owner.post(path, { content: 'eyes' })).status < 300, subject);
    }
    await owner.delete(`${at}/issues/${number}/lock`);
  });

  test('are shown and changed by GraphQL', async () => {
    const [issue = '', pull = '', comment = '', line = ''] = subjects(open);
    for (const subject of [issue, pull, comment, line]) {
      const id = (await owner.get(subject)).body.node_id;
      const groups = `reactionGroups { content viewerHasReacted createdAt
        users(first: 5) { totalCount edges { reactedAt node { login } } }
        reactors(first: 5) { totalCount nodes { ... on User { login } } } }`;
      const change = (name: string): string => `mutation ($id: ID!) {
        ${name}(input: { subjectId: $id, content: HOORAY }) {
          reaction { content user { login } }
          subject { viewerCanReact reactions(first: 5, content: HOORAY) {
            totalCount viewerHasReacted nodes { content user { login } } } ${groups} } } }`;
      const ask = async (name: string) =>
        (await stranger.post('/graphql', { query: change(name), variables: { id } })).body;
      const added = (await ask('addReaction')).data.addReaction;
      assert.deepEqual(added.reaction, { content: 'HOORAY', user: { login: 'stranger' } });
      assert.equal(added.subject.viewerCanReact, true);
      assert.deepEqual(added.subject.reactions, {
        totalCount: 1,
        viewerHasReacted: true,
        nodes: [added.reaction],
      });
      assert.equal(added.subject.reactionGroups.length, 8);
      const group = added.subject.reactionGroups.find(
        (each: { content: string }) => each.content === 'HOORAY',
      );
      assert.equal(group.viewerHasReacted, true);
      assert.equal(group.users.totalCount, 1);
      assert.equal(group.users.edges[0].node.login, 'stranger');
      assert.equal(group.users.edges[0].reactedAt, group.createdAt);
      assert.deepEqual(group.reactors.nodes, [{ login: 'stranger' }]);
      const removed = (await ask('removeReaction')).data.removeReaction;
      assert.deepEqual(removed.reaction, added.reaction);
      assert.equal(removed.subject.reactions.totalCount, 0);
      assert.equal((await ask('removeReaction')).errors[0].type, 'NOT_FOUND');
    }
    const secret = (await owner.get(subjects(hidden)[0] ?? '')).body.node_id;
    const query = `mutation ($id: ID!) { addReaction(input: { subjectId: $id, content: EYES }) {
      clientMutationId } }`;
    const { body } = await stranger.post('/graphql', { query, variables: { id: secret } });
    assert.equal(body.errors[0].type, 'NOT_FOUND');
  });
});
