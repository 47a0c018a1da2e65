import assert from 'node:assert/strict';
import { after, before, describe, mock, test } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('mutations of labels at the same time as others', () => {
  let forge: TestForge;
  let owner: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
  });
  after(() => forge.close());

  /** Renames the label and gives its name to another one, after the mutation has found it and before it writes. */
  const swapBeforeWrite = (name: string): void => {
    const { database } = forge;
    const write = database.write.bind(database);
    const swapped = mock.method(database, 'write', async (...call: Parameters<typeof write>) => {
      swapped.mock.restore();
      await owner.patch(`/repos/${name}/labels/bug`, { new_name: 'fault' });
      await owner.post(`/repos/${name}/labels`, { name: 'bug', color: '00ff00' });
      return write(...call);
    });
  };

  for (const [mutation, input, left] of [
    ['updateLabel', 'color: "0000ff"', 'bug 00ff00, fault 0000ff'],
    ['deleteLabel', '', 'bug 00ff00'],
  ] as const) {
    test(`${mutation} changes the label of its id, not another one that got its name`, async () => {
      const name = await forge.repository(owner);
      const at = `/repos/${name}/labels`;
      const { body: label } = await owner.post(at, { name: 'bug', color: 'ff0000' });
      swapBeforeWrite(name);
      const query = `mutation { ${mutation}(input: { id: "${label.node_id}" ${input} }) { clientMutationId } }`;
      const { body } = await owner.post('/graphql', { query });
      assert.equal(body.errors, undefined, JSON.stringify(body.errors));
      const labels: { name: string; color: string }[] = (await owner.get(at)).body;
      assert.equal(labels.map((each) => `${each.name} ${each.color}`).join(', '), left);
    });
  }
});
