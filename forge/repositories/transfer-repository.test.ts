import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { invalidateRepository } from '../events/invalidate.ts';
import { repositoryId } from '../testing/commits.ts';
import { addCollaborator } from '../testing/pull-fixture.ts';
import { startTestForge, type TestForge } from '../testing/test-forge.ts';
import { untilSomeoneWaits } from '../testing/waiting-writes.ts';
import { changeOwner } from './transfer-store.ts';

describe('a transfer by an administrator', () => {
  let forge: TestForge;
  before(async () => {
    forge = await startTestForge();
  });
  after(() => forge.close());

  test('does not take the repository from the user who gets it at the same time', async () => {
    const { database } = forge;
    const [owner, administrator] = [await forge.user(), await forge.user()];
    const { login } = await forge.organization(owner);
    const made = await owner.post(`/orgs/${login}/repos`, { name: 'tools' });
    assert.equal(made.status, 201, made.text);
    await addCollaborator(owner, administrator, `${login}/tools`, 'admin');
    const id = await repositoryId(forge, `${login}/tools`);
    const begun = Promise.withResolvers<void>();
    // As another node does it: no queue of this one is held.
    const transferring = database.write(async (read) => {
      const sql = await invalidateRepository(read, id);
      await changeOwner(sql, id, owner.account.id, forge.clock.now());
      begun.resolve();
      await untilSomeoneWaits(database);
    });
    await begun.promise;
    const body = { new_owner: administrator.login };
    const second = await administrator.post(`/repositories/${id}/transfer`, body);
    await transferring;
    assert.equal(second.status, 403, second.text);
    const found = await owner.get(`/repositories/${id}`);
    assert.equal(found.body.owner.login, owner.login, found.text);
  });
});
