import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('issues in GraphQL that have linked branches and were transferred', () => {
  let forge: TestForge;
  let owner: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
  });
  after(() => forge.close());

  test('take the same number of reads, however many there are', async (t) => {
    const [from, to] = [await forge.repository(owner), await forge.repository(owner)];
    const oid = await commitFiles(forge, to, 'main', { a: 'a' });
    const toId = (await owner.get(`/repos/${to}`)).body.node_id;
    const [login, name] = to.split('/');
    const query = `{ repository(owner: "${login}", name: "${name}") { issues(first: 50) { nodes {
      linkedBranches(first: 3) { nodes { ref { name repository { name } } } }
      timelineItems(first: 3, itemTypes: [TRANSFERRED_EVENT]) { nodes { ... on TransferredEvent {
        fromRepository { nameWithOwner } } } } } } } }`;
    const add = async (): Promise<void> => {
      const { body } = await owner.post(`/repos/${from}/issues`, { title: 'T' });
      const issue = `issueId: "${body.node_id}"`;
      const change = `mutation {
        moved: transferIssue(input: { ${issue}, repositoryId: "${toId}" }) { issue { number } }
        linked: createLinkedBranch(input: { ${issue}, oid: "${oid}" }) { linkedBranch { id } } }`;
      const { errors } = (await owner.post('/graphql', { query: change })).body;
      assert.equal(errors, undefined, JSON.stringify(errors));
    };
    const reads = [
      t.mock.method(forge.ports.database, 'read').mock,
      t.mock.method(forge.ports.database, 'readOne').mock,
    ];
    const called = (): number => reads.reduce((sum, read) => sum + read.callCount(), 0);
    const count = async (): Promise<[reads: number, issues: number]> => {
      await forge.ports.background.idle();
      const start = called();
      const { nodes } = (await owner.post('/graphql', { query })).body.data.repository.issues;
      for (const { linkedBranches, timelineItems } of nodes) {
        assert.equal(linkedBranches.nodes.length, 1);
        assert.deepEqual(timelineItems.nodes, [{ fromRepository: { nameWithOwner: from } }]);
      }
      return [called() - start, nodes.length];
    };
    await add();
    const [one] = await count();
    for (let number = 2; number <= 12; number += 1) await add();
    assert.deepEqual(await count(), [one, 12]);
  });
});
