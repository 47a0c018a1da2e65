import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('requested teams', () => {
  let forge: TestForge;
  let owner: TestUser;
  let member: TestUser;
  let stranger: TestUser;
  let number: number;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    member = await forge.user('member');
    stranger = await forge.user('stranger');
    await forge.organization(owner, 'acme');
    await owner.put('/orgs/acme/memberships/member');
    await owner.post('/orgs/acme/repos', { name: 'open' });
    const base = await commitFiles(forge, 'acme/open', 'main', { a: 'a' });
    await commitFiles(forge, 'acme/open', 'topic', { b: 'b' }, { parents: [base] });
    const pull = { title: 'P', head: 'topic', base: 'main' };
    ({ number } = (await owner.post('/repos/acme/open/pulls', pull)).body);
    for (const [name, privacy] of [
      ['seen', 'closed'],
      ['hidden', 'secret'],
    ]) {
      await owner.post('/orgs/acme/teams', { name, privacy });
      await owner.put(`/orgs/acme/teams/${name}/repos/acme/open`, { permission: 'push' });
    }
    const requested = { team_reviewers: ['seen', 'hidden'] };
    const at = `/repos/acme/open/pulls/${number}/requested_reviewers`;
    assert.equal((await owner.post(at, requested)).status, 201);
  });
  after(() => forge.close());

  const names = (teams: { name: string }[]): string[] => teams.map(({ name }) => name).toSorted();

  /** What REST shows of the pull, alone, in a list, and of its requests. */
  async function shown(user: Pick<TestUser, 'get'>): Promise<string[][]> {
    const pulls = '/repos/acme/open/pulls';
    return [
      names((await user.get(`${pulls}/${number}`)).body.requested_teams),
      names((await user.get(pulls)).body[0].requested_teams),
      names((await user.get(`${pulls}/${number}/requested_reviewers`)).body.teams),
    ];
  }

  const everywhere = (teams: string[]): string[][] => [teams, teams, teams];

  test('that are secret are not shown to those who may not see them', async () => {
    const narrow = await forge.withScopes(owner, ['public_repo']);
    for (const user of [forge.anonymous, stranger, member, narrow]) {
      assert.deepEqual(await shown(user), everywhere(['seen']));
    }
  });

  test('that are secret are shown to their members and the owners', async () => {
    const all = everywhere(['hidden', 'seen']);
    assert.deepEqual(await shown(owner), all);
    await owner.put('/orgs/acme/teams/hidden/memberships/member');
    assert.deepEqual(await shown(member), all);
  });

  test('that are secret are not shown by GraphQL, either', async () => {
    const query = `{ repository(owner: "acme", name: "open") { pullRequest(number: ${number}) {
      reviewRequests(first: 5) { nodes { requestedReviewer { ... on Team { name } } } } } } }`;
    const asked = async (user: TestUser): Promise<string[]> => {
      const { body } = await user.post('/graphql', { query });
      const { nodes } = body.data.repository.pullRequest.reviewRequests;
      return names(
        nodes.map((node: { requestedReviewer: { name: string } }) => node.requestedReviewer),
      );
    };
    assert.deepEqual(await asked(owner), ['hidden', 'seen']);
    assert.deepEqual(await asked(stranger), ['seen']);
  });
});
