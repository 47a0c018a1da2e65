import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { Database } from '#platform/database/database.ts';

import { putMember } from '../accounts/account-store.ts';
import { writeAccounts } from '../events/invalidate.ts';
import { commitFiles } from '../testing/commits.ts';
import { makeSshKey } from '../testing/ssh-keys.ts';
import { openPull } from '../testing/pull-fixture.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('blame, keys and viewed files in GraphQL', () => {
  let forge: TestForge;
  let owner: TestUser;
  let guest: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
    guest = await forge.user('guest');
  });
  after(() => forge.close());

  const ask = async (who: TestUser, query: string, variables: object) =>
    (await who.post('/graphql', { query, variables })).body;

  test('say of each line which commit it is from, and how old that is', async () => {
    const name = await forge.repository(owner);
    const author = { name: 'Ada', email: 'ada@example.test' };
    const first = await commitFiles(forge, name, 'main', { 'a.txt': '1\n2\n3\n' }, { author });
    forge.clock.advance(3_600_000);
    const second = await commitFiles(forge, name, 'main', { 'a.txt': '1\nTWO\n3\n' });
    const query = `query ($owner: String!, $name: String!, $path: String!) {
      repository(owner: $owner, name: $name) { object(expression: "main") { ... on Commit {
        blame(path: $path) { ranges { startingLine endingLine age commit { oid author { name } } } }
      } } } }`;
    const [login, repository] = name.split('/');
    const variables = { owner: login, name: repository };
    const { data } = await ask(guest, query, { ...variables, path: 'a.txt' });
    const range = ({ startingLine, endingLine, age, commit }: any) => [
      startingLine,
      endingLine,
      age,
      commit.oid,
    ];
    assert.deepEqual(data.repository.object.blame.ranges.map(range), [
      [1, 1, 10, first],
      [2, 2, 1, second],
      [3, 3, 10, first],
    ]);
    for (const path of ['none', '../a.txt', '', '/']) {
      const { errors } = await ask(guest, query, { ...variables, path });
      assert.equal(errors[0].type, 'NOT_FOUND', path);
    }
  });

  test('run git once for a file, whatever its aliases, and one blame of a client at a time', async (context) => {
    const name = await forge.repository(owner);
    await commitFiles(forge, name, 'main', { 'a.txt': '1\n', 'b.txt': '2\n' });
    let [blames, running, runningMax] = [0, 0, 0];
    const repository = forge.git.repository.bind(forge.git);
    context.mock.method(forge.git, 'repository', (id: number) => {
      const real = repository(id);
      const blame: typeof real.blame = async (...input) => {
        blames += 1;
        running += 1;
        runningMax = Math.max(runningMax, running);
        try {
          return await real.blame(...input);
        } finally {
          running -= 1;
        }
      };
      return { ...real, blame };
    });
    const aliases = Array.from(
      { length: 20 },
      (_, index) => `b${index}: blame(path: "${index % 2 === 0 ? 'a' : 'b'}.txt") {
        ranges { commit { oid } } }`,
    );
    const [login, repositoryName] = name.split('/');
    const query = `query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) {
      object(expression: "main") { ... on Commit { ${aliases.join(' ')} } } } }`;
    const { data } = await ask(guest, query, { owner: login, name: repositoryName });
    assert.equal(data.repository.object.b19.ranges.length, 1);
    assert.deepEqual([blames, runningMax], [2, 1]);
  });

  test('list the public keys of a user, as REST does', async () => {
    const { publicKey } = makeSshKey();
    await owner.post('/user/keys', { title: 'laptop', key: publicKey });
    const query = `query ($login: String!) { user(login: $login) {
      publicKeys(first: 5) { totalCount nodes { key fingerprint isReadOnly accessedAt } } } }`;
    const { data } = await ask(guest, query, { login: 'owner' });
    const { totalCount, nodes } = data.user.publicKeys;
    const [rest] = (await guest.get('/users/owner/keys')).body;
    assert.deepEqual([totalCount, nodes[0].key, nodes[0].accessedAt], [1, rest.key, null]);
    assert.match(nodes[0].fingerprint, /^SHA256:/);
    await forge.database.write((sql) => sql.run('update ssh_keys set last_used_at = 1000'));
    const accessedFor = async (who: TestUser): Promise<unknown> =>
      (await ask(who, query, { login: 'owner' })).data.user.publicKeys.nodes[0].accessedAt;
    assert.deepEqual(
      [await accessedFor(owner), await accessedFor(guest)],
      ['1970-01-01T00:00:01Z', null],
    );
  });

  test('read the public keys of many users at once', async (context) => {
    const count = async (members: number): Promise<number> => {
      let reads = 0;
      const read = forge.database.read.bind(forge.database);
      const mock = context.mock.method(
        forge.database,
        'read',
        (work: Parameters<Database['read']>[0]) => {
          reads += 1;
          return read(work);
        },
      );
      const query = `query { organization(login: "acme") { membersWithRole(first: ${members}) {
        nodes { publicKeys(first: 1) { totalCount } } } } }`;
      const { data } = await ask(owner, query, {});
      mock.mock.restore();
      assert.equal(data.organization.membersWithRole.nodes.length, members);
      return reads;
    };
    const acme = await forge.organization(owner, 'acme');
    const alone = await count(1);
    for (const login of ['m1', 'm2', 'm3', 'm4']) {
      const { account } = await forge.user(login);
      await writeAccounts(forge.database, (sql) => putMember(sql, acme.id, account.id, 'member'));
    }
    assert.equal(await count(5), alone);
  });

  test('show the viewer which files it has viewed, until they change', async () => {
    const { name, number, path } = await openPull(forge, owner);
    const { body: files } = await owner.get(`${path}/files`);
    const file = files[0].filename;
    const id = (await owner.get(path)).body.node_id;
    const mark = (verb: string): string => `mutation ($id: ID!, $path: String!) {
      ${verb}(input: { pullRequestId: $id, path: $path }) { pullRequest {
        files(first: 1) { nodes { path viewerViewedState } } } } }`;
    const absent = await ask(guest, mark('markFileAsViewed'), { id, path: 'none' });
    assert.equal(absent.errors[0].type, 'NOT_FOUND');
    const marked = await ask(guest, mark('markFileAsViewed'), { id, path: file });
    const node = { path: file, viewerViewedState: 'VIEWED' };
    assert.deepEqual(marked.data.markFileAsViewed.pullRequest.files.nodes, [node]);
    const seen = `query ($id: ID!) { node(id: $id) { ... on PullRequest {
      files(first: 1) { nodes { viewerViewedState } } } } }`;
    const stateFor = async (who: TestUser): Promise<string> =>
      (await ask(who, seen, { id })).data.node.files.nodes[0].viewerViewedState;
    assert.deepEqual([await stateFor(guest), await stateFor(owner)], ['VIEWED', 'UNVIEWED']);
    await commitFiles(forge, name, 'topic', { [file]: `changed ${number}` });
    assert.equal(await stateFor(guest), 'DISMISSED');
    await ask(guest, mark('unmarkFileAsViewed'), { id, path: file });
    assert.equal(await stateFor(guest), 'UNVIEWED');
  });
});
