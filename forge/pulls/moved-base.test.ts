import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { createForgeServer } from '../forge.ts';
import type { GitRepository } from '../git/git.ts';
import { GitError } from '../git/git-error.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import { type OpenedPull, openPull, untilChecked } from '../testing/pull-fixture.ts';
import { createTestBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('the commits of a pull', () => {
  let forge: TestForge;
  let owner: TestUser;
  let pull: OpenedPull;
  let last: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
  });
  after(() => forge.close());
  beforeEach(async () => {
    pull = await openPull(forge, owner);
    last = await commitFiles(forge, pull.name, 'topic', { second: '2' });
    await untilChecked(forge, owner, pull.path);
  });

  async function moveBase(sha: string): Promise<void> {
    const path = `/repos/${pull.name}/git/refs/heads/main`;
    const moved = await owner.patch(path, { sha, force: true });
    assert.equal(moved.status, 200, moved.text);
  }

  const messagesOf = async (query = ''): Promise<string[]> =>
    (await owner.get(`${pull.path}/commits${query}`)).body.map(
      (each: { commit: { message: string } }) => each.commit.message,
    );

  test('are those that its base lacks, once the base was moved back', async () => {
    const sha = pull.base;
    await commitFiles(forge, pull.name, 'main', { more: '1' });
    const merged = await owner.post(`/repos/${pull.name}/merges`, { base: 'topic', head: 'main' });
    assert.equal(merged.status, 201, merged.text);
    await untilChecked(forge, owner, pull.path);
    assert.equal((await messagesOf()).length, 3);
    await moveBase(sha);
    assert.equal((await messagesOf()).length, 4);
    const shown = await owner.get(pull.path);
    assert.deepEqual([shown.body.base.sha, shown.body.commits], [sha, 4]);
    assert.equal(shown.body.changed_files, 3);
  });

  test('do not count what came into the base, and have no empty last page', async () => {
    const first = pull.head;
    await moveBase(first);
    const query = `query($id: ID!) { node(id: $id) { ... on PullRequest {
      commits(first: 5) { totalCount nodes { commit { oid } } } } } }`;
    const variables = { id: pull.response.body.node_id };
    const { data } = (await owner.post('/graphql', { query, variables })).body;
    assert.deepEqual(data.node.commits, { totalCount: 1, nodes: [{ commit: { oid: last } }] });
    const page = await owner.get(`${pull.path}/commits?per_page=1`);
    assert.deepEqual([page.body.length, page.headers['link']], [1, undefined]);
    const shown = await owner.get(pull.path);
    assert.deepEqual([shown.body.commits, shown.body.changed_files], [1, 1]);
  });

  test('and its size are the present ones in GraphQL and on its page, too', async () => {
    await moveBase(pull.head);
    const query = `query($id: ID!) { node(id: $id) { ... on PullRequest {
      additions changedFiles files(first: 5) { totalCount }
      commits(last: 1) { pageInfo { hasPreviousPage } nodes { commit { oid } } } } } }`;
    const variables = { id: pull.response.body.node_id };
    const { data } = (await owner.post('/graphql', { query, variables })).body;
    assert.deepEqual(data.node, {
      additions: 1,
      changedFiles: 1,
      files: { totalCount: 1 },
      commits: { pageInfo: { hasPreviousPage: false }, nodes: [{ commit: { oid: last } }] },
    });
    const page = await createTestBrowser(forge).get(`/${pull.name}/pull/${pull.number}`);
    assert.match(page.text, /1 commit of/);
    assert.match(page.text, />1 file</);
  });

  test('are counted as before where git cannot count them', async () => {
    const id = await repositoryId(forge, pull.name);
    await moveBase(pull.head);
    for (const kind of ['limit', 'unavailable', 'missing-object'] as const) {
      const fails = (): Promise<never> => Promise.reject(new GitError(kind, 'It cannot count.'));
      const repository = (one: number): GitRepository => {
        const real = forge.git.repository(one);
        return one === id ? { ...real, mergeBase: fails, countCommits: fails } : real;
      };
      const background = { ...forge.ports.background, run: () => {} };
      const git = { ...forge.git, repository };
      const server = await createForgeServer({ ...forge.ports, background, git });
      try {
        const headers = { authorization: `token ${owner.token}`, 'user-agent': 'hob-test' };
        const shown = await server.inject({ method: 'GET', url: pull.path, headers });
        assert.equal(shown.statusCode, 200, shown.body);
        assert.equal(shown.json().commits, 2);
        const query = `query($id: ID!) { node(id: $id) { ... on PullRequest {
          additions commits(last: 1) { totalCount nodes { commit { oid } } } } } }`;
        const payload = { query, variables: { id: pull.response.body.node_id } };
        const asked = await server.inject({ method: 'POST', url: '/graphql', headers, payload });
        assert.deepEqual(asked.json().data?.node, {
          additions: 2,
          commits: { totalCount: 2, nodes: [{ commit: { oid: last } }] },
        });
      } finally {
        await server.close();
      }
    }
  });
});
