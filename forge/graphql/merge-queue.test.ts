import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { type OpenedPull, openPull } from '../testing/pull-fixture.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('merge queues, of which there are none', () => {
  let forge: TestForge;
  let owner: TestUser;
  let guest: TestUser;
  let pull: OpenedPull;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
    guest = await forge.user('guest');
    pull = await openPull(forge, owner);
  });
  after(() => forge.close());

  test('take no pull, and say so only to those who may merge it', async () => {
    const id = pull.response.body.node_id;
    const { body: issue } = await owner.post(`/repos/${pull.name}/issues`, { title: 'T' });
    const add =
      'mutation ($id: ID!) { enqueuePullRequest(input: { pullRequestId: $id }) { mergeQueueEntry { id } } }';
    const remove =
      'mutation ($id: ID!) { dequeuePullRequest(input: { id: $id }) { mergeQueueEntry { id } } }';
    for (const [query, message] of [
      [add, /does not have a merge queue/],
      [remove, /is not in a merge queue/],
    ] as const) {
      const ask = async (who: TestUser, of: string): Promise<{ type: string; message: string }> =>
        (await who.post('/graphql', { query, variables: { id: of } })).body.errors[0];
      assert.equal((await ask(guest, id)).type, 'NOT_FOUND');
      for (const other of [issue.node_id, '', 'x']) {
        assert.equal((await ask(owner, other)).type, 'NOT_FOUND');
      }
      const refused = await ask(owner, id);
      assert.equal(refused.type, 'UNPROCESSABLE');
      assert.match(refused.message, message);
    }
    assert.equal((await owner.get(pull.path)).body.merged, false);
  });

  test('are null and false in what gh and bots ask before they merge', async () => {
    const [login, repo] = pull.name.split('/');
    const query = `{ repository(owner: "${login}", name: "${repo}") {
      mergeQueue(branch: "main") { id url entries(first: 5) { totalCount nodes { position enqueuedAt
        estimatedTimeToMerge solo jump headCommit { oid } enqueuer { login } pullRequest { number } } } }
      pullRequest(number: ${pull.number}) { isInMergeQueue isMergeQueueEnabled
        mergeQueueEntry { id position state mergeQueue { url } } } } }`;
    const { data, errors } = (await guest.post('/graphql', { query })).body;
    assert.equal(errors, undefined);
    assert.deepEqual(data.repository, {
      mergeQueue: null,
      pullRequest: { isInMergeQueue: false, isMergeQueueEnabled: false, mergeQueueEntry: null },
    });
  });
});
