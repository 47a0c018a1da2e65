import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('stars and followers in GraphQL', () => {
  let forge: TestForge;
  let owner: TestUser;
  let fan: TestUser;
  let open: string;
  let hidden: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    fan = await forge.user('fan');
    open = await forge.repository(owner);
    hidden = await forge.repository(owner, { private: true });
  });
  after(() => forge.close());

  // oxlint-disable-next-line typescript/no-explicit-any -- tests reach into answers of every shape
  const ask = async (user: TestUser, query: string, id?: string): Promise<any> =>
    (await user.post('/graphql', { query, variables: id === undefined ? {} : { id } })).body;
  const idOf = async (name: string): Promise<string> =>
    (await owner.get(`/repos/${name}`)).body.node_id;

  test('are refused where REST refuses them', async () => {
    const add = 'mutation ($id: ID!) { addStar(input: { starrableId: $id }) { clientMutationId } }';
    const [error] = (await ask(fan, add, await idOf(hidden))).errors;
    assert.equal(error.type, 'NOT_FOUND');
    const narrow = await forge.withScopes(fan, ['user']);
    const [refused] = (await ask(narrow, add, await idOf(open))).errors;
    assert.equal(refused.type, 'NOT_FOUND');
    const follow = `mutation ($id: ID!) { followUser(input: { userId: $id }) { user { login } } }`;
    const plain = await forge.withScopes(fan, ['repo']);
    const user = (await owner.get('/user')).body.node_id;
    assert.equal((await ask(plain, follow, user)).errors[0].type, 'NOT_FOUND');
  });

  test('are added, counted, listed and removed', async () => {
    const fields = 'starrable { stargazerCount viewerHasStarred }';
    const add = `mutation ($id: ID!) { addStar(input: { starrableId: $id }) { ${fields} } }`;
    const id = await idOf(open);
    const starred = { stargazerCount: 1, viewerHasStarred: true };
    assert.deepEqual((await ask(fan, add, id)).data.addStar.starrable, starred);
    const query = `query ($id: ID!) { node(id: $id) { ... on Repository {
      viewerHasStarred stargazers(first: 5) { totalCount edges { starredAt node { login } } } } } }`;
    const seen = (await ask(owner, query, id)).data.node;
    assert.equal(seen.viewerHasStarred, false);
    assert.equal(seen.stargazers.totalCount, 1);
    const [edge] = seen.stargazers.edges;
    assert.equal(edge.node.login, 'fan');
    assert.match(edge.starredAt, /^\d{4}-/);
    const remove = `mutation ($id: ID!) { removeStar(input: { starrableId: $id }) { ${fields} } }`;
    const unstarred = { stargazerCount: 0, viewerHasStarred: false };
    assert.deepEqual((await ask(fan, remove, id)).data.removeStar.starrable, unstarred);
  });

  test('show nobody a private repository that others have starred or watch', async () => {
    await owner.put(`/user/starred/${hidden}`);
    await owner.put(`/user/starred/${open}`);
    const query = `{ user(login: "own") {
      starredRepositories(first: 5) { totalCount nodes { nameWithOwner } }
      watching(first: 5) { totalCount } } }`;
    const seen = (await ask(fan, query)).data.user;
    assert.equal(seen.starredRepositories.totalCount, 1);
    assert.deepEqual(seen.starredRepositories.nodes, [{ nameWithOwner: open }]);
    assert.equal(seen.watching.totalCount, 1);
    const own = (await ask(owner, query)).data.user;
    assert.deepEqual([own.starredRepositories.totalCount, own.watching.totalCount], [2, 2]);
  });

  test('subscriptions and followers change', async () => {
    const subscribe = (state: string): string => `mutation ($id: ID!) {
      updateSubscription(input: { subscribableId: $id, state: ${state} }) {
        subscribable { viewerSubscription ... on Repository { watchers(first: 3) { totalCount } } } } }`;
    const id = await idOf(open);
    for (const [state, watchers] of [
      ['SUBSCRIBED', 2],
      ['IGNORED', 1],
      ['UNSUBSCRIBED', 1],
    ] as const) {
      const { subscribable } = (await ask(fan, subscribe(state), id)).data.updateSubscription;
      assert.deepEqual(subscribable, {
        viewerSubscription: state,
        watchers: { totalCount: watchers },
      });
    }
    const user = (await owner.get('/user')).body.node_id;
    const fields = 'viewerIsFollowing followers(first: 2) { totalCount nodes { login } }';
    const follow = `mutation ($id: ID!) { followUser(input: { userId: $id }) { user { ${fields} } } }`;
    assert.deepEqual((await ask(fan, follow, user)).data.followUser.user, {
      viewerIsFollowing: true,
      followers: { totalCount: 1, nodes: [{ login: 'fan' }] },
    });
    const stop = `mutation ($id: ID!) { unfollowUser(input: { userId: $id }) { user { ${fields} } } }`;
    assert.equal((await ask(fan, stop, user)).data.unfollowUser.user.followers.totalCount, 0);
  });
});
