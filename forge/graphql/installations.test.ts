import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { furnish, type FurnishedRepository } from '../testing/furnished-repository.ts';
import { createTestApp, type TestApp } from '../testing/test-app.ts';
import {
  startTestForge,
  type TestClient,
  type TestForge,
  type TestUser,
} from '../testing/test-forge.ts';

const denied = 'Resource not accessible by integration';
const names = ['checks', 'contents', 'issues', 'pull_requests', 'statuses'] as const;

describe('GraphQL of an installation token', () => {
  let forge: TestForge;
  let owner: TestUser;
  let robot: TestApp;
  let hidden: FurnishedRepository;
  /** Who has one permission to read, by its name; `none` and `all`. */
  const clients = new Map<string, TestClient>();

  before(async () => {
    forge = await startTestForge({ previews: 'lenient' });
    owner = await forge.user('own');
    await forge.user('guest');
    await forge.organization(owner, 'acme');
    await owner.post('/orgs/acme/teams', { name: 'crew', privacy: 'closed' });
    hidden = await furnish(forge, owner, { name: 'hidden', private: true });
    await furnish(forge, owner, { name: 'open' });
    await furnish(forge, owner, { name: 'outside', private: true });
    const permissions = Object.fromEntries(names.map((name) => [name, 'write']));
    robot = await createTestApp(forge, owner.account.id, { permissions });
    const installation = await robot.install('acme', ['open', 'hidden']);
    clients.set('all', await robot.token(installation));
    clients.set('none', await robot.token(installation, { permissions: { metadata: 'read' } }));
    for (const name of names) {
      clients.set(name, await robot.token(installation, { permissions: { [name]: 'read' } }));
    }
  });
  after(() => forge.close());

  // oxlint-disable-next-line typescript/no-explicit-any -- tests reach into answers of every shape
  const ask = async (who: string, query: string, variables = {}): Promise<any> => {
    const client = clients.get(who) ?? assert.fail(who);
    const { status, body, text } = await client.post('/graphql', { query, variables });
    assert.equal(status, 200, text);
    return body;
  };
  const inRepository = (name: string, fields: string): string =>
    `{ repository(owner: "acme", name: "${name}") { ${fields} } }`;

  /** A field of a private repository, and the permissions that it needs, each of them. */
  const fields: readonly (readonly [field: string, needed: readonly (readonly string[])[]])[] = [
    ['name', []],
    ['stargazerCount', []],
    ['issues(first: 1) { totalCount }', [['issues']]],
    ['issues(first: 1) { nodes { title } }', [['issues']]],
    ['issue(number: 2) { title }', [['issues']]],
    ['pinnedIssues(first: 1) { totalCount }', [['issues']]],
    ['issue(number: 2) { linkedBranches(first: 1) { totalCount } }', [['issues']]],
    ['issueOrPullRequest(number: 2) { __typename }', [['issues']]],
    ['issueOrPullRequest(number: 1) { __typename }', [['pull_requests']]],
    ['pullRequests(first: 1) { totalCount }', [['pull_requests']]],
    ['pullRequest(number: 1) { title }', [['pull_requests']]],
    ['pullRequest(number: 1) { headRef { name } }', [['pull_requests'], ['contents']]],
    ['pullRequest(number: 1) { reviews(first: 1) { nodes { body } } }', [['pull_requests']]],
    [
      'pullRequest(number: 1) { statusCheckRollup { state } }',
      [['pull_requests'], ['checks'], ['statuses']],
    ],
    ['label(name: "bug") { name }', [['issues', 'pull_requests']]],
    ['labels(first: 1) { totalCount }', [['issues', 'pull_requests']]],
    ['milestones(first: 1) { totalCount }', [['issues', 'pull_requests']]],
    ['defaultBranchRef { name }', [['contents']]],
    ['object(expression: "main:a.txt") { ... on Blob { text } }', [['contents']]],
    ['refs(refPrefix: "refs/heads/", first: 1) { totalCount }', [['contents']]],
    ['releases(first: 1) { totalCount }', [['contents']]],
    ['latestRelease { tagName }', [['contents']]],
  ];

  test('shows nothing of repositories that it is not installed in', async () => {
    const { body } = await owner.get('/repos/acme/outside');
    const [error] = (await ask('all', inRepository('outside', 'name'))).errors;
    assert.equal(error.type, 'NOT_FOUND');
    const query = 'query ($id: ID!) { node(id: $id) { id } }';
    assert.equal((await ask('all', query, { id: body.node_id })).errors[0].type, 'NOT_FOUND');
    const issue = (await owner.get('/repos/acme/outside/issues/2')).body.node_id;
    assert.equal((await ask('all', query, { id: issue })).errors[0].type, 'NOT_FOUND');
  });

  test('reads of a private repository what its permissions open, and no more', async () => {
    for (const [field, needed] of fields) {
      for (const who of clients.keys()) {
        const { data, errors = [] } = await ask(who, inRepository('hidden', field));
        const may = who === 'all' || needed.every((any) => any.includes(who));
        const messages = errors.map(({ message }: { message: string }) => message);
        assert.deepEqual(messages, may ? [] : [denied], `${field} with ${who}`);
        if (!may) assert.equal(errors[0].type, 'FORBIDDEN');
        if (may) assert.ok(data.repository, field);
      }
    }
  });

  test('finds by global ids only what its permissions open', async () => {
    const at = `/repos/${hidden.fullName}`;
    const [comment] = (await owner.get(`${at}/issues/2/comments`)).body;
    const issue = (await owner.get(`${at}/issues/2`)).body;
    const pull = (await owner.get(`${at}/pulls/1`)).body;
    const query = 'query ($id: ID!) { node(id: $id) { __typename id } }';
    for (const [id, needed] of [
      [issue.node_id, 'issues'],
      [comment.node_id, 'issues'],
      [pull.node_id, 'pull_requests'],
    ] as const) {
      for (const who of clients.keys()) {
        const { data, errors } = await ask(who, query, { id });
        const may = who === 'all' || who === needed;
        assert.equal(errors?.[0].message, may ? undefined : denied, `${id} with ${who}`);
        assert.equal(data.node?.id, may ? id : undefined);
      }
    }
  });

  test('reads all of a public repository', async () => {
    for (const [field] of fields) {
      const { errors } = await ask('none', inRepository('open', field));
      assert.equal(errors, undefined, field);
    }
  });

  test('changes nothing without the permission to write, as over REST', async () => {
    const { node_id: id } = (await owner.get(`/repos/${hidden.fullName}/issues/2`)).body;
    const { node_id: repositoryId } = (await owner.get(`/repos/${hidden.fullName}`)).body;
    const comment = `mutation ($id: ID!) { addComment(input: { subjectId: $id, body: "Hi" }) {
      commentEdge { node { body author { login } } } } }`;
    for (const who of ['none', 'contents', 'issues', 'pull_requests']) {
      assert.equal((await ask(who, comment, { id })).errors[0].message, denied, who);
    }
    const { addComment } = (await ask('all', comment, { id })).data;
    assert.deepEqual(addComment.commentEdge.node, {
      body: 'Hi',
      author: { login: `${robot.app.slug}[bot]` },
    });
    const star =
      'mutation ($id: ID!) { addStar(input: { starrableId: $id }) { clientMutationId } }';
    assert.equal((await ask('all', star, { id: repositoryId })).errors[0].message, denied);
    const create = `mutation { createRepository(input: { name: "x", visibility: PUBLIC }) {
      clientMutationId } }`;
    assert.equal((await ask('all', create)).errors[0].message, denied);
  });

  test('has the bot as its viewer', async () => {
    const { data } = await ask('all', '{ viewer { login } rateLimit { limit } }');
    assert.match(data.viewer.login, /^robot/);
  });

  test('transfers issues between repositories that it covers, with the permission for them', async () => {
    const transfer = `mutation ($issue: ID!, $to: ID!) {
      transferIssue(input: { issueId: $issue, repositoryId: $to }) { issue { repository { name } } } }`;
    const idAt = async (path: string): Promise<string> => (await owner.get(path)).body.node_id;
    const { body } = await owner.post('/repos/acme/open/issues', { title: 'Moving' });
    const issue = body.node_id;
    const hiddenId = await idAt('/repos/acme/hidden');
    const outside = { issue, to: await idAt('/repos/acme/outside') };
    assert.equal((await ask('all', transfer, outside)).errors[0].type, 'NOT_FOUND');
    for (const who of clients.keys()) {
      if (who === 'all') continue;
      const { errors } = await ask(who, transfer, { issue, to: hiddenId });
      assert.equal(errors[0].message, denied, who);
    }
    const { data } = await ask('all', transfer, { issue, to: hiddenId });
    assert.equal(data.transferIssue.issue.repository.name, 'hidden');
    // Where it was is public, and where it is now is not.
    const back = { issue, to: await idAt('/repos/acme/open') };
    assert.match((await ask('all', transfer, back)).errors[0].message, /private repository/);
  });
});
