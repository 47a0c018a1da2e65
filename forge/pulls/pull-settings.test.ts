import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { type Receiver, startReceiver } from '../testing/receiver-fixture.ts';
import {
  startTestForge,
  type TestForge,
  type TestResponse,
  type TestUser,
} from '../testing/test-forge.ts';
import { createDeliverer, type Deliverer } from '../webhooks/delivery-worker.ts';

/** A setting of a pull that has a default, and how clients name it. */
interface Setting {
  /** In REST and webhooks. */
  readonly property: string;
  /** The field of `PullRequest` in GraphQL. */
  readonly field: string;
  /** The field of the input of `createPullRequest`. */
  readonly input: string;
  /** Whether lists of REST contain it. */
  readonly listed: boolean;
  /** Whether `PATCH` and `updatePullRequest` change it. */
  readonly updated: boolean;
  /** Its default. */
  readonly unset: boolean | number | string;
  /** Another value. */
  readonly set: boolean | number | string;
  /** A value that is refused. */
  readonly refused: unknown;
}

const flag = { unset: false, set: true, refused: 'yes' };

const settings: readonly Setting[] = [
  { property: 'draft', field: 'isDraft', input: 'draft', listed: true, updated: false, ...flag },
  {
    property: 'maintainer_can_modify',
    field: 'maintainerCanModify',
    input: 'maintainerCanModify',
    listed: false,
    updated: true,
    ...flag,
  },
];

describe('settings of a pull', () => {
  let forge: TestForge;
  let owner: TestUser;
  let contributor: TestUser;
  let receiver: Receiver;
  let deliverer: Deliverer;
  let base: string;
  let fork: string;
  let main: string;

  before(async () => {
    forge = await startTestForge({ webhookPrivateTargets: true });
    owner = await forge.user('owner');
    contributor = await forge.user('contributor');
    receiver = await startReceiver();
    deliverer = createDeliverer(forge.ports, (error) => {
      throw error;
    });
    base = await forge.repository(owner, { init: true });
    fork = (await contributor.post(`/repos/${base}/forks`)).body.full_name;
    main = (await owner.get(`/repos/${base}/branches/main`)).body.commit.sha;
    const config = { url: receiver.url, content_type: 'json' };
    await owner.post(`/repos/${base}/hooks`, { config, events: ['pull_request'] });
  });
  after(async () => {
    await deliverer.close();
    await receiver.close();
    await forge.close();
  });

  let branches = 0;

  /** The body for a pull from a new branch of the fork: across repositories, every setting has a meaning. */
  async function newPull(): Promise<{ title: string; head: string; base: string }> {
    const branch = `topic-${(branches += 1)}`;
    await commitFiles(forge, fork, branch, { [branch]: 'x\n' }, { parents: [main] });
    return { title: 'T', head: `contributor:${branch}`, base: 'main' };
  }

  async function create(more: Record<string, unknown> = {}): Promise<TestResponse['body']> {
    const body = { ...(await newPull()), ...more };
    const response = await contributor.post(`/repos/${base}/pulls`, body);
    assert.equal(response.status, 201, response.text);
    await deliverer.deliverDue();
    return response.body;
  }

  async function graphql(
    query: string,
    variables: Record<string, unknown>,
  ): Promise<TestResponse['body']> {
    const { body } = await contributor.post('/graphql', { query, variables });
    assert.equal(body.errors, undefined, JSON.stringify(body.errors));
    return body.data;
  }

  const show = async (id: string, field: string): Promise<unknown> =>
    (
      await graphql(`query ($id: ID!) { node(id: $id) { ... on PullRequest { ${field} } } }`, {
        id,
      })
    ).node[field];

  for (const { property, field, input, listed, updated, unset, set, refused } of settings) {
    test(`${property} with another value is refused`, async () => {
      const body = { ...(await newPull()), [property]: refused };
      const answers = [await contributor.post(`/repos/${base}/pulls`, body)];
      if (updated) {
        const path = `/repos/${base}/pulls/${(await create()).number}`;
        answers.push(await contributor.patch(path, { [property]: refused }));
        answers.push(await contributor.patch(path, { [property]: null }));
      }
      for (const { status, text } of answers) assert.equal(status, 422, text);
    });

    if (!updated) {
      test(`${property} is no property of an update`, async () => {
        const pull = await create();
        for (const value of [true, 'abc', 2]) {
          const { status, body } = await contributor.patch(`/repos/${base}/pulls/${pull.number}`, {
            [property]: value,
          });
          assert.deepEqual([status, body[property]], [200, unset]);
        }
      });
    }

    test(`${property} is ${unset} unless the request sets it`, async () => {
      for (const more of [{}, { [property]: null }, { [property]: unset }]) {
        const pull = await create(more);
        assert.equal(pull[property], unset);
        assert.equal(await show(pull.node_id, field), unset);
      }
    });

    test(`${property} is set by a create, and REST, webhooks and GraphQL show it`, async () => {
      receiver.take();
      const pull = await create({ [property]: set });
      assert.equal(pull[property], set);
      const path = `/repos/${base}/pulls`;
      assert.equal((await owner.get(`${path}/${pull.number}`)).body[property], set);
      const [first] = (await owner.get(path)).body;
      assert.deepEqual([first.number, first[property]], [pull.number, listed ? set : undefined]);
      const [opened] = receiver.take();
      assert.equal(opened?.body.pull_request[property], set);
      assert.equal(await show(pull.node_id, field), set);
    });

    test(`${property} is set by createPullRequest`, async () => {
      const { title, head, base: baseRefName } = await newPull();
      const repositoryId = (await owner.get(`/repos/${base}`)).body.node_id;
      const data = await graphql(
        `mutation ($input: CreatePullRequestInput!) {
          createPullRequest(input: $input) { pullRequest { ${field} } }
        }`,
        { input: { title, headRefName: head, baseRefName, repositoryId, [input]: set } },
      );
      assert.equal(data.createPullRequest.pullRequest[field], set);
    });

    if (!updated) continue;

    test(`${property} is updated by REST and GraphQL, and other updates leave it`, async () => {
      const pull = await create();
      const path = `/repos/${base}/pulls/${pull.number}`;
      assert.equal((await contributor.patch(path, { [property]: set })).body[property], set);
      assert.equal((await contributor.patch(path, { title: 'Other' })).body[property], set);
      const update = async (value: Setting['set']): Promise<unknown> => {
        const data = await graphql(
          `mutation ($input: UpdatePullRequestInput!) {
            updatePullRequest(input: $input) { pullRequest { ${field} } }
          }`,
          { input: { pullRequestId: pull.node_id, [input]: value } },
        );
        return data.updatePullRequest.pullRequest[field];
      };
      assert.equal(await update(unset), unset);
      assert.equal((await owner.get(path)).body[property], unset);
      assert.equal(await update(set), set);
    });
  }
});
