import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('an invitation that several answer at once', () => {
  let forge: TestForge;
  let owner: TestUser;
  let fullName: string;
  before(async () => {
    forge = await startTestForge();
    owner = await forge.user();
    fullName = await forge.repository(owner, { private: true });
  });
  after(() => forge.close());

  const invite = async () => {
    const invitee = await forge.user();
    const collaborator = `/repos/${fullName}/collaborators/${invitee.login}`;
    const { id } = (await owner.put(collaborator, { permission: 'pull' })).body;
    return {
      accept: () => invitee.patch(`/user/repository_invitations/${id}`),
      decline: () => invitee.delete(`/user/repository_invitations/${id}`),
      cancel: () => owner.delete(`/repos/${fullName}/invitations/${id}`),
      offer: (permissions: string) =>
        owner.patch(`/repos/${fullName}/invitations/${id}`, { permissions }),
      permission: async (): Promise<string> =>
        (await owner.get(`${collaborator}/permission`)).body.permission,
    };
  };

  it('is accepted, declined or cancelled by exactly one of them', async () => {
    for (const order of [
      ['accept', 'decline', 'cancel'],
      ['cancel', 'accept', 'decline'],
      ['decline', 'cancel', 'accept'],
    ] as const) {
      const invitation = await invite();
      const responses = await Promise.all(order.map((verb) => invitation[verb]()));
      const winners = order.filter((_, index) => responses[index]?.status === 204);
      assert.equal(winners.length, 1, order.join(', '));
      assert.equal(responses.filter((response) => response.status === 404).length, 2);
      assert.equal(await invitation.permission(), winners[0] === 'accept' ? 'read' : 'none');
    }
    assert.deepEqual((await owner.get(`/repos/${fullName}/invitations`)).body, []);
  });

  it('is accepted once, however often it is asked for', async () => {
    const invitation = await invite();
    const responses = await Promise.all(Array.from({ length: 10 }, () => invitation.accept()));
    assert.equal(responses.filter((response) => response.status === 204).length, 1);
    assert.equal(responses.filter((response) => response.status === 404).length, 9);
    assert.equal(await invitation.permission(), 'read');
  });

  it('grants what was offered last before it was accepted', async () => {
    const invitation = await invite();
    const [offered, accepted] = await Promise.all([invitation.offer('admin'), invitation.accept()]);
    assert.equal(accepted.status, 204);
    const changedFirst = offered.status === 200;
    assert.equal(await invitation.permission(), changedFirst ? 'admin' : 'read');
  });
});
