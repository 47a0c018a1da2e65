import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { addCollaborator, openForkPull, type OpenedPull } from '../testing/pull-fixture.ts';
import { startReceiver } from '../testing/receiver-fixture.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { createDeliverer } from '../webhooks/delivery-worker.ts';

const secret = 'secret plans';

describe('a pull from a private fork', () => {
  let forge: TestForge;
  let owner: TestUser;
  let author: TestUser;
  let pull: OpenedPull & { readonly fork: string };

  before(async () => {
    forge = await startTestForge({ webhookPrivateTargets: true });
    owner = await forge.user('maintainer');
    author = await forge.user('author');
    pull = await openForkPull(forge, owner, author, { private: true });
    const described = await author.patch(`/repos/${pull.fork}`, { description: secret });
    assert.equal(described.status, 200, described.text);
  });
  after(() => forge.close());

  /** Everything that shows the pull. */
  const showing = (): string[] => [
    pull.path,
    `/repos/${pull.name}/pulls?state=all`,
    `/repos/${pull.name}/commits/${pull.head}/pulls`,
    `/repos/${pull.name}/events`,
    `/users/${author.login}/events`,
    `/search/issues?q=repo:${pull.name}+is:pr`,
  ];

  test('shows the fork to none but its own readers', async () => {
    const reader = await forge.user();
    await addCollaborator(owner, reader, pull.name, 'push');
    for (const user of [owner, reader]) {
      assert.equal((await user.get(`/repos/${pull.fork}`)).status, 404);
      for (const path of showing()) {
        const response = await user.get(path, {
          accept: 'application/vnd.github.groot-preview+json',
        });
        assert.equal(response.status, 200, response.text);
        assert.doesNotMatch(response.text, new RegExp(`${secret}|/repos/${pull.fork}/`), path);
      }
    }
    const edited = await owner.patch(pull.path, { title: 'Better' });
    assert.deepEqual(
      [edited.body.head.repo, edited.body.head.label, edited.body.base.repo.full_name],
      [null, 'author:topic', pull.name],
    );
    assert.equal((await author.get(pull.path)).body.head.repo.description, secret);
    await addCollaborator(author, reader, pull.fork, 'pull');
    assert.equal((await reader.get(pull.path)).body.head.repo.description, secret);
  });

  test('shows it in GraphQL to none but its own readers', async () => {
    const query = `query($id: ID!) { node(id: $id) { ... on PullRequest {
      headRepository { description } headRefName headRef { name } baseRepository { nameWithOwner } } } }`;
    const variables = { id: pull.response.body.node_id };
    const shown = await owner.post('/graphql', { query, variables });
    assert.deepEqual(shown.body.data.node, {
      headRepository: null,
      headRefName: 'topic',
      headRef: null,
      baseRepository: { nameWithOwner: pull.name },
    });
    const own = await author.post('/graphql', { query, variables });
    assert.equal(own.body.data.node.headRepository.description, secret);
  });

  test('shows it in no webhook of the base', async () => {
    const receiver = await startReceiver();
    const deliverer = createDeliverer(forge.ports, (error) => {
      throw error;
    });
    try {
      const config = { url: receiver.url, content_type: 'json' };
      const hook = { config, events: ['pull_request'] };
      assert.equal((await owner.post(`/repos/${pull.name}/hooks`, hook)).status, 201);
      await author.patch(pull.path, { title: 'Best' });
      await deliverer.deliverDue();
      const [, sent] = receiver.received;
      assert.equal(sent?.body.action, 'edited');
      assert.equal(sent?.body.pull_request.head.repo, null);
      assert.equal(sent?.body.pull_request.base.repo.full_name, pull.name);
      assert.doesNotMatch(sent?.text ?? '', new RegExp(secret));
    } finally {
      await deliverer.close();
      await receiver.close();
    }
  });
});
