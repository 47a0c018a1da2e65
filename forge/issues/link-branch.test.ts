import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { openPull } from '../testing/pull-fixture.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

const create = `mutation ($issue: ID!, $oid: GitObjectID!, $name: String, $home: ID) {
  createLinkedBranch(input: { issueId: $issue, oid: $oid, name: $name, repositoryId: $home }) {
    linkedBranch { id ref { name repository { nameWithOwner } } } issue { number } } }`;
const remove = `mutation ($id: ID!) {
  deleteLinkedBranch(input: { linkedBranchId: $id }) { issue { number } } }`;

describe('linked branches of an issue', () => {
  let forge: TestForge;
  let owner: TestUser;
  let guest: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
    guest = await forge.user('guest');
  });
  after(() => forge.close());

  // oxlint-disable-next-line typescript/no-explicit-any -- tests reach into answers of every shape
  const ask = async (who: TestUser, query: string, variables: object): Promise<any> =>
    (await who.post('/graphql', { query, variables })).body;

  async function issueIn(
    title: string,
    options: { private?: boolean } = {},
  ): Promise<{ name: string; at: string; oid: string; issue: string; home: string }> {
    const name = await forge.repository(owner, options);
    const oid = await commitFiles(forge, name, 'main', { a: 'a' });
    const { body } = await owner.post(`/repos/${name}/issues`, { title });
    const { body: repository } = await owner.get(`/repos/${name}`);
    return { name, at: `/repos/${name}`, oid, issue: body.node_id, home: repository.node_id };
  }

  async function linked(who: TestUser, id: string): Promise<string[]> {
    const query = `query ($id: ID!) { node(id: $id) { ... on Issue {
      linkedBranches(first: 30) { totalCount nodes { ref { name repository { url } } } } } } }`;
    const { totalCount, nodes } = (await ask(who, query, { id })).data.node.linkedBranches;
    assert.equal(totalCount, nodes.length);
    return nodes.map(({ ref }: { ref: { name: string } }) => ref.name);
  }

  test('are refused without push access, for pulls, and with names and commits that are none', async () => {
    const { name, at, oid, issue } = await issueIn('T');
    const refused = async (who: TestUser, variables: object): Promise<string> =>
      (await ask(who, create, { issue, oid, ...variables })).errors[0].type;
    assert.equal(await refused(guest, {}), 'FORBIDDEN');
    const invited = await owner.put(`${at}/collaborators/guest`, { permission: 'triage' });
    await guest.patch(`/user/repository_invitations/${invited.body.id}`);
    assert.equal(await refused(guest, {}), 'FORBIDDEN');
    const { response } = await openPull(forge, owner);
    assert.equal(await refused(owner, { issue: response.body.node_id }), 'NOT_FOUND');
    for (const bad of ['a b', '../x', '-x', 'a..b', 'x.lock', 'main/x', '\u0001', 'HEAD']) {
      assert.equal(await refused(owner, { name: bad }), 'UNPROCESSABLE', bad);
    }
    assert.equal(await refused(owner, { oid: '1'.repeat(40) }), 'UNPROCESSABLE');
    assert.equal(await refused(owner, { name: 'main' }), 'UNPROCESSABLE');
    const hidden = await issueIn('H', { private: true });
    assert.equal(await refused(guest, { home: hidden.home }), 'NOT_FOUND');
    assert.equal(await refused(guest, { issue: hidden.issue }), 'NOT_FOUND');
    await owner.patch(at, { archived: true });
    assert.equal(await refused(owner, {}), 'FORBIDDEN');
    assert.deepEqual(await linked(owner, issue), []);
    assert.deepEqual(
      (await owner.get(`/repos/${name}/branches`)).body.map((each: { name: string }) => each.name),
      ['main'],
    );
  });

  test('are made at a commit, named after the issue where nothing else is said', async () => {
    const { name, at, oid, issue } = await issueIn('Fix: the “Door” — ärger!');
    const long = await issueIn('𝕏'.repeat(250));
    const cut = await ask(owner, create, { issue: long.issue, oid: long.oid });
    const longName = cut.data.createLinkedBranch.linkedBranch.ref.name;
    assert.equal(longName, `1-${'𝕏'.repeat(50)}`);
    const { data } = await ask(owner, create, { issue, oid, name: '' });
    const { linkedBranch } = data.createLinkedBranch;
    assert.equal(linkedBranch.ref.name, '1-fix-the-door-ärger');
    assert.equal(linkedBranch.ref.repository.nameWithOwner, name);
    const second = await ask(owner, create, { issue, oid, name: 'work/two' });
    assert.equal(second.data.createLinkedBranch.linkedBranch.ref.name, 'work/two');
    const branch = await owner.get(`${at}/git/ref/heads/work/two`);
    assert.equal(branch.body.object.sha, oid);
    assert.deepEqual(await linked(guest, issue), ['1-fix-the-door-ärger', 'work/two']);
    const again = await ask(owner, create, { issue, oid, name: 'work/two' });
    assert.equal(again.errors[0].type, 'UNPROCESSABLE');
    assert.equal((await ask(guest, remove, { id: linkedBranch.id })).errors[0].type, 'FORBIDDEN');
    assert.equal((await ask(owner, remove, { id: issue })).errors[0].type, 'NOT_FOUND');
    const removed = await ask(owner, remove, { id: linkedBranch.id });
    assert.equal(removed.data.deleteLinkedBranch.issue.number, 1);
    assert.deepEqual(await linked(owner, issue), ['work/two']);
    assert.equal((await ask(owner, remove, { id: linkedBranch.id })).errors[0].type, 'NOT_FOUND');
    assert.equal((await owner.get(`${at}/branches/1-fix-the-door-%C3%A4rger`)).status, 200);
  });

  test('follow a rename and a transfer, and end with the branch', async () => {
    const { at, oid, issue } = await issueIn('T');
    await ask(owner, create, { issue, oid, name: 'old' });
    await ask(owner, create, { issue, oid, name: 'other' });
    await owner.post(`${at}/branches/old/rename`, { new_name: 'new' });
    assert.deepEqual(await linked(owner, issue), ['new', 'other']);
    await owner.delete(`${at}/git/refs/heads/new`);
    assert.deepEqual(await linked(owner, issue), ['other']);
    await owner.post(`${at}/git/refs`, { ref: 'refs/heads/new', sha: oid });
    assert.deepEqual(await linked(owner, issue), ['other'], 'a later branch of that name is not');
    const target = await issueIn('U');
    const transfer = `mutation ($issue: ID!, $to: ID!) {
      transferIssue(input: { issueId: $issue, repositoryId: $to }) { issue { number } } }`;
    await ask(owner, transfer, { issue, to: target.home });
    assert.deepEqual(await linked(owner, issue), ['other']);
    await ask(owner, create, { issue: target.issue, oid: target.oid, name: 'mine' });
    await owner.delete(at);
    assert.deepEqual(await linked(owner, issue), []);
    assert.deepEqual(await linked(owner, target.issue), ['mine']);
  });

  test('in another repository are shown to those who may read that', async () => {
    const { issue } = await issueIn('T');
    const hidden = await issueIn('H', { private: true });
    const { data } = await ask(owner, create, {
      issue,
      oid: hidden.oid,
      name: 'x',
      home: hidden.home,
    });
    assert.equal(data.createLinkedBranch.linkedBranch.ref.repository.nameWithOwner, hidden.name);
    assert.deepEqual(await linked(owner, issue), ['x']);
    assert.deepEqual(await linked(guest, issue), []);
  });
});
