import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { furnish, type FurnishedRepository } from '../testing/furnished-repository.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

const document = `query ($q: String!, $type: SearchType!, $first: Int, $last: Int, $after: String) {
  search(query: $q, type: $type, first: $first, last: $last, after: $after) {
    issueCount repositoryCount userCount
    pageInfo { hasNextPage hasPreviousPage endCursor }
    edges { cursor node {
      ... on Issue { number } ... on PullRequest { number } ... on Repository { nameWithOwner } ... on User { login }
    } }
  }
}`;

describe('the search of GraphQL', () => {
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;
  let furnished: FurnishedRepository;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
    outsider = await forge.user('guest');
    await forge.organization(owner, 'acme');
    await owner.post('/orgs/acme/teams', { name: 'Crew' });
    furnished = await furnish(forge, owner, { name: 'things', private: true });
    const listed = await forge.repository(owner, { name: 'listed' });
    for (const title of ['one', 'two', 'three', 'four', 'five']) {
      forge.clock.advance(1000);
      await owner.post(`/repos/${listed}/issues`, { title });
    }
  });
  after(() => forge.close());

  // oxlint-disable-next-line typescript/no-explicit-any -- tests reach into answers of every shape
  const search = async (variables: object, who: TestUser = owner): Promise<any> => {
    const { status, body } = await who.post('/graphql', { query: document, variables });
    assert.equal(status, 200);
    assert.equal(body.errors, undefined, JSON.stringify(body.errors));
    return body.data.search;
  };
  const numbers = (found: { edges: { node: { number: number } }[] }): number[] =>
    found.edges.map(({ node }) => node.number);

  test('finds what REST finds, and nothing where REST refuses', async () => {
    const pulls = { q: `repo:${furnished.fullName} is:pr author:@me`, type: 'ISSUE', first: 5 };
    const found = await search(pulls);
    const rest = await owner.get(`/search/issues?q=${encodeURIComponent(pulls.q)}`);
    assert.ok(found.issueCount > 0);
    assert.equal(found.issueCount, rest.body.total_count);
    assert.deepEqual(
      numbers(found),
      rest.body.items.map(({ number }: { number: number }) => number),
    );
    for (const q of [pulls.q, 'created:soon', 'repo:owner/nothing']) {
      const hidden = await search({ ...pulls, q }, outsider);
      assert.deepEqual([hidden.issueCount, hidden.edges], [0, []], q);
    }
  });

  test('gives pages from both ends, after a cursor', async () => {
    const q = 'repo:owner/listed sort:created-asc';
    const first = await search({ q, type: 'ISSUE', first: 2 });
    assert.deepEqual([first.issueCount, numbers(first)], [5, [1, 2]]);
    assert.equal(first.pageInfo.hasNextPage, true);
    const { endCursor } = first.pageInfo;
    const next = await search({ q, type: 'ISSUE', first: 10, after: endCursor });
    assert.deepEqual([numbers(next), next.pageInfo.hasNextPage], [[3, 4, 5], false]);
    // Older versions of gh ask for this.
    const last = await search({ q, type: 'ISSUE', last: 2, after: endCursor });
    assert.deepEqual([numbers(last), last.pageInfo.hasPreviousPage], [[4, 5], true]);
  });

  test('finds repositories and users', async () => {
    const repositories = await search({ q: 'listed in:name', type: 'REPOSITORY', first: 1 });
    assert.equal(repositories.repositoryCount, 1);
    assert.equal(repositories.edges[0].node.nameWithOwner, 'owner/listed');
    const users = await search({ q: 'gue', type: 'USER', first: 1 });
    assert.deepEqual([users.userCount, users.edges[0].node.login], [1, 'guest']);
    const discussions = await search({ q: 'gue', type: 'DISCUSSION', first: 1 });
    assert.deepEqual([discussions.issueCount, discussions.edges], [0, []]);
  });
});

describe('searches of GraphQL', () => {
  let forge: TestForge;
  let user: TestUser;

  before(async () => {
    forge = await startTestForge({ rateLimitSearch: 3 });
    user = await forge.user('own');
  });
  after(() => forge.close());

  test('count as searches of REST do', async () => {
    const one = 'search(query: "x", type: ISSUE, first: 1) { issueCount }';
    const { body } = await user.post('/graphql', { query: `{ a: ${one} b: ${one} }` });
    assert.equal(body.errors, undefined);
    assert.equal((await user.get('/rate_limit')).body.resources.search.used, 2);
    const more = await user.post('/graphql', { query: `{ a: ${one} b: ${one} }` });
    assert.deepEqual(
      more.body.errors.map(({ type }: { type: string }) => type),
      ['RATE_LIMITED'],
    );
    assert.equal((await user.get('/search/users?q=own')).status, 403);
  });

  test('are made by lists of the issues of a user too, whatever states and times these name', async () => {
    const searcher = await forge.user('searcher');
    const states = `states: [${'OPEN CLOSED '.repeat(50)}]`;
    const since = 'filterBy: { since: "0000-01-01T00:00:00+23:59" }';
    const { body } = await searcher.post('/graphql', {
      query: `{ user(login: "own") { a: issues(first: 1, ${states}) { totalCount }
        b: issues(first: 1, ${since}) { totalCount } c: pullRequests(first: 1) { totalCount } } }`,
    });
    assert.deepEqual(body.data.user, {
      a: { totalCount: 0 },
      b: { totalCount: 0 },
      c: { totalCount: 0 },
    });
    assert.equal((await searcher.get('/rate_limit')).body.resources.search.used, 3);
    const query = '{ user(login: "own") { issues(first: 1) { totalCount } } }';
    const more = await searcher.post('/graphql', { query });
    assert.equal(more.body.errors[0].type, 'RATE_LIMITED');
  });
});

describe('the points of GraphQL', () => {
  let forge: TestForge;
  let user: TestUser;

  before(async () => {
    forge = await startTestForge({ rateLimitUser: 3 });
    user = await forge.user('own');
  });
  after(() => forge.close());

  test('are counted apart from requests to REST, and their end is said with status 200', async () => {
    const query = '{ rateLimit { limit remaining used } }';
    for (const left of [2, 1, 0]) {
      const { headers, body } = await user.post('/graphql', { query });
      assert.deepEqual(body.data.rateLimit, { limit: 3, remaining: left, used: 3 - left });
      assert.equal(headers['x-ratelimit-resource'], 'graphql');
    }
    const refused = await user.post('/graphql', { query });
    assert.equal(refused.status, 200);
    assert.deepEqual(refused.body.errors, [
      {
        type: 'RATE_LIMITED',
        message: `API rate limit exceeded for user ID ${user.account.id}.`,
      },
    ]);
    assert.equal(refused.headers['x-ratelimit-remaining'], '0');
    const rest = await user.get('/user');
    assert.deepEqual([rest.status, rest.headers['x-ratelimit-used']], [200, '1']);
    const { resources } = (await user.get('/rate_limit')).body;
    assert.deepEqual([resources.graphql.used, resources.core.used], [3, 1]);
  });

  test('are of users: others are refused as requests to REST', async () => {
    const anonymous = await forge.anonymous.post('/graphql', { query: '{ viewer { login } }' });
    assert.deepEqual([anonymous.status, anonymous.headers['x-ratelimit-resource']], [401, 'core']);
  });
});
