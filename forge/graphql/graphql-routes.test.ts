import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { Octokit } from 'octokit';

import { nodeId } from '../json/node-id.ts';
import { openPull, untilChecked } from '../testing/pull-fixture.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('drafts by GraphQL', () => {
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;

  before(async () => {
    forge = await startTestForge({ webhookPrivateTargets: true });
    owner = await forge.user('own');
    outsider = await forge.user('stranger');
  });
  after(() => forge.close());

  const ready = `mutation Ready($id: ID!) {
    markPullRequestReadyForReview(input: { pullRequestId: $id }) {
      pullRequest { id number isDraft url title state }
    }
  }`;
  const toDraft = ready.replace('markPullRequestReadyForReview', 'convertPullRequestToDraft');

  const ask = (user: TestUser, query: unknown, id?: string): ReturnType<TestUser['post']> =>
    user.post('/api/graphql', { query, variables: { id } });

  test('anonymous callers are refused', async () => {
    for (const path of ['/api/graphql', '/graphql', '/api/v3/graphql']) {
      const response = await forge.anonymous.post(path, { query: ready });
      assert.deepEqual([response.status, response.body.message], [401, 'Requires authentication']);
    }
    assert.equal((await owner.get('/graphql')).status, 404);
  });

  test('documents at fault do nothing and are answered with errors alone', async () => {
    for (const query of [
      undefined,
      7,
      '',
      '{ viewer { name2 } }',
      'mutation {',
      `${ready} ${ready}`,
    ]) {
      const response = await ask(owner, query, 'x');
      assert.equal(response.status, 200);
      assert.deepEqual(Object.keys(response.body), ['errors'], String(query));
    }
    const unset = await ask(owner, ready);
    assert.match(unset.body.errors[0].message, /^Variable \$id of type ID! was provided invalid/);
    const named = await owner.post('/graphql', { query: ready, operationName: 'Other' });
    assert.equal(named.body.errors[0].message, 'No operation named "Other"');
    const misspelt = await ask(owner, ready.replace('pullRequestId:', 'pullId:'), 'x');
    assert.equal(
      misspelt.body.errors[0].message,
      "InputObject 'MarkPullRequestReadyForReviewInput' doesn't accept argument 'pullId'",
    );
    assert.deepEqual(misspelt.body.errors[0].locations, [{ line: 2, column: 44 }]);
  });

  test('a hidden pull is as unknown as one that is not there', async () => {
    const { response } = await openPull(forge, owner, { private: true, body: { draft: true } });
    for (const id of [
      response.body.node_id,
      nodeId('PullRequest', 999_999),
      nodeId('User', 1),
      'x',
    ]) {
      const { body, status } = await ask(outsider, ready, id);
      assert.equal(status, 200);
      assert.deepEqual(body, {
        data: { markPullRequestReadyForReview: null },
        errors: [
          {
            type: 'NOT_FOUND',
            path: ['markPullRequestReadyForReview'],
            locations: [{ line: 2, column: 5 }],
            message: `Could not resolve to a node with the global id of '${id}'`,
          },
        ],
      });
    }
  });

  test('those who may not edit a pull, archives and closed pulls are refused', async () => {
    const { response, path, name } = await openPull(forge, owner, { body: { draft: true } });
    const typeFor = async (user: TestUser): Promise<string> =>
      (await ask(user, ready, response.body.node_id)).body.errors[0].type;
    assert.equal(await typeFor(outsider), 'FORBIDDEN');
    await owner.patch(path, { state: 'closed' });
    assert.equal(await typeFor(owner), 'UNPROCESSABLE');
    await owner.patch(`/repos/${name}`, { archived: true });
    assert.equal(await typeFor(owner), 'FORBIDDEN');
    assert.equal((await owner.get(path)).body.draft, true);
  });

  test('a draft becomes ready and a draft again, and its events say so', async () => {
    const { response, path, name, number } = await openPull(forge, owner, {
      body: { draft: true },
    });
    assert.equal((await untilChecked(forge, owner, path)).body.mergeable_state, 'draft');
    assert.equal((await owner.put(`${path}/merge`)).status, 405);
    const created = await ask(owner, ready, response.body.node_id);
    assert.deepEqual(created.body, {
      data: {
        markPullRequestReadyForReview: {
          pullRequest: {
            id: response.body.node_id,
            number,
            isDraft: false,
            url: response.body.html_url,
            title: 'Add a file',
            state: 'OPEN',
          },
        },
      },
    });
    const pull = await untilChecked(forge, owner, path);
    assert.deepEqual([pull.body.draft, pull.body.mergeable_state], [false, 'clean']);
    await ask(owner, ready, response.body.node_id);
    await ask(owner, toDraft, response.body.node_id);
    assert.equal((await owner.get(path)).body.draft, true);
    const events = await owner.get(`/repos/${name}/issues/${number}/events`);
    assert.deepEqual(
      events.body.map((event: { event: string }) => event.event),
      ['ready_for_review', 'convert_to_draft'],
    );
  });

  test('webhooks get the direction of the change', async () => {
    const { response, name } = await openPull(forge, owner, { body: { draft: true } });
    const config = { url: 'http://127.0.0.1:9/', content_type: 'json' };
    const hook = await owner.post(`/repos/${name}/hooks`, { config, events: ['pull_request'] });
    assert.equal(hook.status, 201, hook.text);
    await ask(owner, ready, response.body.node_id);
    await ask(owner, toDraft, response.body.node_id);
    const sent = await forge.database.read((sql) =>
      sql.all<{ action: string | null }>(
        'select action from webhook_deliveries where webhook_id = $1 order by id',
        hook.body.id,
      ),
    );
    assert.deepEqual(
      sent.map((each) => each.action),
      [null, 'ready_for_review', 'converted_to_draft'],
    );
  });

  test('aliases, fragments and type names are honoured, and each mutation fails alone', async () => {
    const { response } = await openPull(forge, owner, { body: { draft: true } });
    const query = `
      mutation Other { a: convertPullRequestToDraft(input: {pullRequestId: "x"}) { __typename } }
      mutation Both($input: MarkPullRequestReadyForReviewInput!) {
        kind: __typename
        first: markPullRequestReadyForReview(input: $input) {
          clientMutationId
          ...ready
          pullRequest { __typename ... on PullRequest { draft: isDraft } ... { merged } }
        }
        second: convertPullRequestToDraft(input: {pullRequestId: "x"}) { pullRequest { id } }
      }
      fragment ready on MarkPullRequestReadyForReviewPayload { pullRequest { headRefName } }`;
    const input = { pullRequestId: response.body.node_id, clientMutationId: 'mine' };
    const done = await owner.post('/api/graphql', {
      query,
      variables: { input },
      operationName: 'Both',
    });
    assert.deepEqual(done.body.data, {
      kind: 'Mutation',
      first: {
        clientMutationId: 'mine',
        pullRequest: {
          headRefName: 'topic',
          __typename: 'PullRequest',
          draft: false,
          merged: false,
        },
      },
      second: null,
    });
    assert.deepEqual(done.body.errors[0].path, ['second']);
  });

  test('an unmodified octokit turns drafts into ready pulls', async () => {
    const { response } = await openPull(forge, owner, { body: { draft: true } });
    const host = await forge.listen();
    const octokit = new Octokit({ auth: owner.token, baseUrl: `http://${host}/api/v3` });
    const done = await octokit.graphql<{
      markPullRequestReadyForReview: { pullRequest: { isDraft: boolean } };
    }>(ready, { id: response.body.node_id });
    assert.equal(done.markPullRequestReadyForReview.pullRequest.isDraft, false);
    await assert.rejects(octokit.graphql(ready, { id: 'x' }), /Could not resolve to a node/);
  });
});
