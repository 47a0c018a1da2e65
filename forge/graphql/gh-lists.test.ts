import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

/** As gh asks, which validates nothing before: an unknown field or argument ends the whole command. */
describe('lists that gh reads to set attributes', () => {
  let forge: TestForge;
  let owner: TestUser;
  let guest: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    guest = await forge.user('guest');
    await forge.organization(owner, 'acme');
    for (const name of ['night watch', 'crew', 'alpha']) {
      await owner.post('/orgs/acme/teams', { name, privacy: 'closed' });
    }
    await owner.post('/orgs/acme/repos', { name: 'room' });
  });
  after(() => forge.close());

  // oxlint-disable-next-line typescript/no-explicit-any -- tests reach into answers of every shape
  const ask = async (who: TestUser, query: string, variables: object = {}): Promise<any> =>
    (await who.post('/graphql', { query, variables })).body;

  test('order teams by name, for members only', async () => {
    const query = `query OrganizationTeamList($owner: String!, $direction: OrderDirection!, $endCursor: String) {
      organization(login: $owner) {
        teams(first: 2, orderBy: {field: NAME, direction: $direction}, after: $endCursor) {
          nodes { id slug } pageInfo { hasNextPage endCursor } } } }`;
    const slugs = async (direction: string, endCursor: string | null = null): Promise<string[]> => {
      const { data } = await ask(owner, query, { owner: 'acme', direction, endCursor });
      const { nodes, pageInfo } = data.organization.teams;
      const more = pageInfo.hasNextPage ? await slugs(direction, pageInfo.endCursor) : [];
      return [...nodes.map(({ slug }: { slug: string }) => slug), ...more];
    };
    assert.deepEqual(await slugs('ASC'), ['alpha', 'crew', 'night-watch']);
    assert.deepEqual(await slugs('DESC'), ['night-watch', 'crew', 'alpha']);
    const hidden = await ask(guest, query, { owner: 'acme', direction: 'ASC' });
    assert.equal(hidden.errors.length > 0, true);
    const none = await ask(owner, query, { owner: 'own', direction: 'ASC' });
    assert.match(none.errors[0].message, /Could not resolve to an Organization/);
  });

  test('have no projects, gists and rulesets', async () => {
    const classic = `projects(states: [OPEN], first: 100, orderBy: {field: NAME, direction: ASC}, after: null) {
      nodes { id name number resourcePath } pageInfo { hasNextPage endCursor } totalCount }`;
    const current = `projectsV2(first: 100, orderBy: {field: TITLE, direction: ASC}, query: "is:open") {
      nodes { id title number resourcePath closed url } pageInfo { hasNextPage endCursor } totalCount }`;
    const query = `{ repository(owner: "acme", name: "room") { ${classic} ${current} }
      organization(login: "acme") { ${classic} ${current} rulesets(first: 30, includeParents: true) { totalCount
        nodes { databaseId name target enforcement rules(first: 1) { totalCount } } } }
      viewer { ${current} gists(first: 10, privacy: ALL, orderBy: {field: CREATED_AT, direction: DESC}) { totalCount
        nodes { description files { name } isPublic name updatedAt } pageInfo { hasNextPage endCursor } } } }`;
    const { data, errors } = await ask(owner, query);
    assert.equal(errors, undefined, JSON.stringify(errors));
    const lists = [data.repository, data.organization, data.viewer].flatMap((each) =>
      Object.values<{ totalCount: number; nodes: unknown[] }>(each),
    );
    assert.equal(lists.length, 7);
    for (const list of lists) assert.deepEqual([list.totalCount, list.nodes], [0, []]);
  });
});
