import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { type Receiver, startReceiver } from '../testing/receiver-fixture.ts';
import { openPull } from '../testing/pull-fixture.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { createDeliverer, type Deliverer } from '../webhooks/delivery-worker.ts';

const pin = 'mutation ($id: ID!) { pinIssue(input: { issueId: $id }) { issue { isPinned } } }';
const unpin =
  'mutation ($id: ID!) { unpinIssue(input: { issueId: $id }) { id issue { isPinned } } }';

describe('issues', () => {
  let forge: TestForge;
  let owner: TestUser;
  let stranger: TestUser;
  let receiver: Receiver;
  let deliverer: Deliverer;

  before(async () => {
    forge = await startTestForge({ webhookPrivateTargets: true });
    owner = await forge.user('owner');
    stranger = await forge.user('stranger');
    receiver = await startReceiver();
    deliverer = createDeliverer(forge.ports, (error) => {
      throw error;
    });
  });
  after(async () => {
    await deliverer.close();
    await receiver.close();
    await forge.close();
  });

  async function issueIn(name: string): Promise<{ path: string; id: string }> {
    const { body } = await stranger.post(`/repos/${name}/issues`, { title: 'T' });
    return { path: `/repos/${name}/issues/${body.number}`, id: body.node_id };
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- tests reach into answers of every shape
  const ask = async (who: TestUser, query: string, id: string): Promise<any> =>
    (await who.post('/graphql', { query, variables: { id } })).body;

  test('are closed for a reason, which is completed unless another one is named', async () => {
    const { path, id } = await issueIn(await forge.repository(owner));
    assert.equal((await owner.get(path)).body.state_reason, null);
    const unknown = await owner.patch(path, { state: 'closed', state_reason: 'bored' });
    assert.equal(unknown.status, 422);
    const alone = await owner.patch(path, { state_reason: 'not_planned' });
    assert.deepEqual([alone.body.state, alone.body.state_reason], ['open', null]);
    assert.equal((await owner.patch(path, { state: 'closed' })).body.state_reason, 'completed');
    const again = { state: 'closed', state_reason: 'duplicate' };
    assert.equal((await owner.patch(path, again)).body.state_reason, 'completed');
    const reopened = { state: 'open', state_reason: 'completed' };
    assert.equal((await owner.patch(path, reopened)).body.state_reason, 'reopened');
    assert.equal((await owner.patch(path, again)).body.state_reason, 'duplicate');
    const fields = `{ ... on Issue { stateReason full: stateReason(enableDuplicate: true)
      timelineItems(first: 9) { nodes {
        ... on ClosedEvent { stateReason } ... on ReopenedEvent { stateReason } } } } }`;
    const { data } = await ask(owner, `query ($id: ID!) { node(id: $id) ${fields} }`, id);
    assert.deepEqual([data.node.stateReason, data.node.full], ['NOT_PLANNED', 'DUPLICATE']);
    assert.deepEqual(
      data.node.timelineItems.nodes.map((each: { stateReason: string }) => each.stateReason),
      ['COMPLETED', 'REOPENED', 'DUPLICATE'],
    );
    const events = (await owner.get(`${path}/events`)).body;
    assert.deepEqual(
      events.map((each: { state_reason?: string }) => each.state_reason),
      ['completed', undefined, 'duplicate'],
    );
    await owner.patch(path, { state: 'open' });
    const close = `mutation ($id: ID!) { closeIssue(input: { issueId: $id, stateReason: NOT_PLANNED }) {
      issue { stateReason } } }`;
    const closed = await ask(owner, close, id);
    assert.equal(closed.data.closeIssue.issue.stateReason, 'NOT_PLANNED');
    assert.equal((await owner.get(path)).body.state_reason, 'not_planned');
  });

  test('that are pulls have no reason', async () => {
    const { name, number } = await openPull(forge, owner);
    const path = `/repos/${name}/issues/${number}`;
    const body = { state: 'closed', state_reason: 'not_planned' };
    assert.equal((await owner.patch(path, body)).body.state_reason, null);
  });

  test('are pinned by users who may push, at most three of a repository', async () => {
    const name = await forge.repository(owner);
    const first = await issueIn(name);
    assert.equal((await ask(stranger, pin, first.id)).errors[0].type, 'NOT_FOUND');
    const { response } = await openPull(forge, owner);
    assert.equal((await ask(owner, pin, response.body.node_id)).errors[0].type, 'NOT_FOUND');
    for (const { id } of [first, await issueIn(name), await issueIn(name)]) {
      assert.equal((await ask(owner, pin, id)).data.pinIssue.issue.isPinned, true);
    }
    const fourth = await issueIn(name);
    const full = await ask(owner, pin, fourth.id);
    assert.equal(full.errors[0].type, 'UNPROCESSABLE');
    assert.match(full.errors[0].message, /Maximum 3 pinned issues/);
    assert.equal((await ask(owner, pin, first.id)).errors, undefined, 'once more');
    assert.equal((await ask(stranger, unpin, first.id)).errors[0].type, 'NOT_FOUND');
    const unpinned = (await ask(owner, unpin, first.id)).data.unpinIssue;
    assert.deepEqual(unpinned, { id: first.id, issue: { isPinned: false } });
    assert.equal((await ask(owner, pin, fourth.id)).data.pinIssue.issue.isPinned, true);
    await owner.patch(`/repos/${name}`, { archived: true });
    assert.equal((await ask(owner, unpin, fourth.id)).errors[0].type, 'FORBIDDEN');
  });

  test('say in their timeline and to webhooks that they are pinned', async () => {
    const name = await forge.repository(owner);
    const { path, id } = await issueIn(name);
    const config = { url: receiver.url, content_type: 'json' };
    await owner.post(`/repos/${name}/hooks`, { config, events: ['issues'] });
    await deliverer.deliverDue();
    receiver.take();
    // What is due at once is delivered in any order.
    for (const query of [pin, pin, unpin]) {
      await ask(owner, query, id);
      await deliverer.deliverDue();
    }
    const delivered = receiver.take().map(({ body }) => [body.action, body.issue.node_id]);
    assert.deepEqual(delivered, [
      ['pinned', id],
      ['unpinned', id],
    ]);
    const events = (await owner.get(`${path}/events`)).body;
    assert.deepEqual(
      events.map((each: { event: string }) => each.event),
      ['pinned', 'unpinned'],
    );
    const items = `query ($id: ID!) { node(id: $id) { ... on Issue {
      timelineItems(first: 5, itemTypes: [PINNED_EVENT]) { nodes {
        ... on PinnedEvent { actor { login } issue { id } } } } } } }`;
    const { data } = await ask(owner, items, id);
    const nodes = [{ actor: { login: 'owner' }, issue: { id } }];
    assert.deepEqual(data.node.timelineItems.nodes, nodes);
  });

  test('are found by why they were closed', async () => {
    const name = await forge.repository(owner);
    const numbers: Record<string, number> = {};
    for (const reason of ['completed', 'not_planned', 'duplicate', 'open']) {
      const { path } = await issueIn(name);
      numbers[reason] = Number(path.split('/').at(-1));
      const closed = { state: 'closed', state_reason: reason };
      if (reason !== 'open') await owner.patch(path, closed);
    }
    const found = async (query: string): Promise<(string | undefined)[]> => {
      const q = encodeURIComponent(`repo:${name} is:issue ${query}`);
      const { body } = await owner.get(`/search/issues?q=${q}&sort=created&order=asc`);
      return body.items.map(({ number }: { number: number }) =>
        Object.keys(numbers).find((reason) => numbers[reason] === number),
      );
    };
    assert.deepEqual(await found('reason:completed'), ['completed']);
    assert.deepEqual(await found('reason:"not planned"'), ['not_planned']);
    assert.deepEqual(await found('reason:Duplicate'), ['duplicate']);
    assert.deepEqual(await found('-reason:completed'), ['not_planned', 'duplicate', 'open']);
    assert.deepEqual(await found('reason:completed,duplicate'), ['completed', 'duplicate']);
    assert.deepEqual(await found('reason:bored'), []);
    const query = `{ search(type: ISSUE, first: 9, query: "repo:${name} is:issue -reason:\\"not planned\\" is:closed") {
      issueCount } }`;
    const { data } = (await owner.post('/graphql', { query })).body;
    assert.equal(data.search.issueCount, 2);
  });

  test('that are pinned are listed in the order of their pins', async () => {
    const name = await forge.repository(owner);
    const [one, two, three] = [await issueIn(name), await issueIn(name), await issueIn(name)];
    for (const { id } of [three, one]) await ask(owner, pin, id);
    const [login, repo] = name.split('/');
    const query = `{ repository(owner: "${login}", name: "${repo}") {
      pinnedIssues(first: 2) { totalCount pageInfo { hasNextPage }
        nodes { id issue { id } pinnedBy { login } repository { nameWithOwner } } }
      rest: pinnedIssues(first: 5, after: null) { edges { node { issue { number } } } } } }`;
    const shown = async (who: TestUser): Promise<typeof data> =>
      (await who.post('/graphql', { query })).body.data.repository;
    // oxlint-disable-next-line typescript/no-explicit-any -- tests reach into answers of every shape
    const data: any = await shown(stranger);
    const { totalCount, pageInfo, nodes } = data.pinnedIssues;
    assert.deepEqual([totalCount, pageInfo.hasNextPage], [2, false]);
    assert.deepEqual(
      nodes.map((node: { issue: { id: string } }) => node.issue.id),
      [three.id, one.id],
    );
    assert.deepEqual(nodes[0].pinnedBy, { login: 'owner' });
    assert.equal(nodes[0].repository.nameWithOwner, name);
    await ask(owner, unpin, three.id);
    await ask(owner, pin, two.id);
    const { edges } = (await shown(owner)).rest;
    assert.deepEqual(
      edges.map((edge: { node: { issue: { number: number } } }) => edge.node.issue.number),
      [1, 2],
    );
  });
});
