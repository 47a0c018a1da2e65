import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { openPull } from '../testing/pull-fixture.ts';
import { type Receiver, startReceiver } from '../testing/receiver-fixture.ts';
import { signedInBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { createDeliverer, type Deliverer } from '../webhooks/delivery-worker.ts';

const mutation =
  'mutation ($id: ID!) { deleteIssue(input: { issueId: $id }) { repository { nameWithOwner } } }';

describe('deleting an issue', () => {
  let forge: TestForge;
  let owner: TestUser;
  let helper: TestUser;
  let receiver: Receiver;
  let deliverer: Deliverer;

  before(async () => {
    forge = await startTestForge({ webhookPrivateTargets: true });
    owner = await forge.user('owner');
    helper = await forge.user('helper');
    receiver = await startReceiver();
    deliverer = createDeliverer(forge.ports, (error) => {
      throw error;
    });
  });
  after(async () => {
    await deliverer.close();
    await receiver.close();
    await forge.close();
  });

  // oxlint-disable-next-line typescript/no-explicit-any -- tests reach into answers of every shape
  const remove = async (who: TestUser, id: string): Promise<any> =>
    (await who.post('/graphql', { query: mutation, variables: { id } })).body;

  test('is refused to all but administrators, and of pulls and in archived repositories', async () => {
    const { name, response } = await openPull(forge, owner);
    const { body: issue } = await helper.post(`/repos/${name}/issues`, { title: 'Mine' });
    assert.equal((await remove(helper, issue.node_id)).errors[0].type, 'NOT_FOUND');
    const invited = await owner.put(`/repos/${name}/collaborators/helper`, { permission: 'push' });
    await helper.patch(`/user/repository_invitations/${invited.body.id}`);
    assert.equal((await remove(helper, issue.node_id)).errors[0].type, 'FORBIDDEN');
    assert.equal((await remove(owner, response.body.node_id)).errors[0].type, 'NOT_FOUND');
    await owner.patch(`/repos/${name}`, { archived: true });
    assert.equal((await remove(owner, issue.node_id)).errors[0].type, 'FORBIDDEN');
    assert.equal((await owner.get(`/repos/${name}/issues/${issue.number}`)).status, 200);
  });

  test('takes all that belongs to it along, and the number answers 410', async () => {
    const name = await forge.repository(owner);
    const at = `/repos/${name}`;
    await owner.post(`${at}/milestones`, { title: 'M' });
    const fields = { title: 'T', labels: ['bug'], assignees: ['owner'], milestone: 1 };
    const { body: issue } = await owner.post(`${at}/issues`, fields);
    const comment = await helper.post(`${at}/issues/1/comments`, { body: 'C @owner' });
    await owner.post(`${at}/issues/1/reactions`, { content: 'eyes' });
    const config = { url: receiver.url, content_type: 'json' };
    await owner.post(`${at}/hooks`, { config, events: ['issues'] });
    await deliverer.deliverDue();
    receiver.take();
    const { data } = await remove(owner, issue.node_id);
    assert.deepEqual(data.deleteIssue, { repository: { nameWithOwner: name } });
    await deliverer.deliverDue();
    const [delivered, ...others] = receiver.take().map(({ body }) => body);
    assert.equal(others.length, 0);
    assert.equal(delivered.action, 'deleted');
    const { title, labels, assignees, milestone } = delivered.issue;
    assert.deepEqual(
      [title, labels[0].name, assignees[0].login, milestone.title],
      ['T', 'bug', 'owner', 'M'],
    );
    const gone = await owner.get(`${at}/issues/1`);
    assert.deepEqual([gone.status, gone.body.message], [410, 'This issue was deleted']);
    assert.equal((await owner.patch(`${at}/issues/1`, { title: 'U' })).status, 404);
    assert.equal((await owner.get(`${at}/issues/comments/${comment.body.id}`)).status, 404);
    assert.equal((await owner.get(`${at}/issues/2`)).status, 404);
    assert.equal((await remove(owner, issue.node_id)).errors[0].type, 'NOT_FOUND');
    assert.deepEqual((await owner.get(`${at}/notifications?all=true`)).body, []);
    assert.deepEqual((await owner.get(`${at}/issues?state=all`)).body, []);
    assert.equal((await owner.get(at)).body.open_issues_count, 0);
    assert.equal((await owner.get(`${at}/milestones/1`)).body.open_issues, 0);
    const browser = await signedInBrowser(forge, 'owner');
    assert.equal((await browser.get(`/${name}/issues/1`)).status, 404);
    assert.equal((await owner.post(`${at}/issues`, { title: 'Next' })).body.number, 2);
  });
});
