import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { openPull, type OpenedPull } from '../testing/pull-fixture.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { createDeliverer, type Deliverer } from './delivery-worker.ts';
import { type Received, type Receiver, startReceiver } from '../testing/receiver-fixture.ts';

describe('webhooks get events of labels, people, milestones, locks and comments on lines', () => {
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

  async function hook(name: string, events: readonly string[]): Promise<void> {
    const config = { url: receiver.url, content_type: 'json' };
    const response = await owner.post(`/repos/${name}/hooks`, { config, events });
    assert.equal(response.status, 201, response.text);
    await deliverer.deliverDue();
    receiver.take();
  }

  /** What was delivered since the last time, by `event action`, in the order of these names. */
  async function delivered(): Promise<[name: string, body: Received['body']][]> {
    await deliverer.deliverDue();
    const all = receiver.take().map(({ headers, body }): [string, Received['body']] => {
      assert.equal(body.sender.login, 'owner');
      return [`${String(headers['x-github-event'])} ${body.action}`, body];
    });
    return all.toSorted(([one], [other]) => one.localeCompare(other));
  }

  async function names(): Promise<string[]> {
    return (await delivered()).map(([name]) => name);
  }

  async function only(name: string): Promise<Received['body']> {
    const [first, ...rest] = await delivered();
    assert.deepEqual([first?.[0], ...rest.map(([other]) => other)], [name]);
    return first?.[1];
  }

  async function makeCollaborator(name: string): Promise<void> {
    const invited = await owner.put(`/repos/${name}/collaborators/helper`, { permission: 'push' });
    await helper.patch(`/user/repository_invitations/${invited.body.id}`);
  }

  /** An issue or a pull with all its attributes, and its event. */
  async function subject(kind: 'issues' | 'pull_request'): Promise<{ name: string; path: string }> {
    const pull: OpenedPull = await openPull(forge, owner);
    const { name } = pull;
    await makeCollaborator(name);
    await owner.post(`/repos/${name}/labels`, { name: 'bug', color: 'ff0000' });
    await owner.post(`/repos/${name}/labels`, { name: 'docs', color: '00ff00' });
    await owner.post(`/repos/${name}/milestones`, { title: 'First' });
    await owner.post(`/repos/${name}/milestones`, { title: 'Second' });
    const created = await owner.post(`/repos/${name}/issues`, { title: 'One' });
    const number = kind === 'issues' ? created.body.number : pull.number;
    await hook(name, [kind]);
    return { name, path: `/repos/${name}/issues/${number}` };
  }

  for (const event of ['issues', 'pull_request'] as const) {
    const property = event === 'issues' ? 'issue' : 'pull_request';

    test(`${event}: labeled and unlabeled, by the endpoints of labels and by PATCH`, async () => {
      const { path } = await subject(event);
      assert.equal((await owner.post(`${path}/labels`, { labels: ['bug', 'docs'] })).status, 200);
      const added = await delivered();
      assert.deepEqual(added.map(([name, body]) => [name, body.label.name]).toSorted(), [
        [`${event} labeled`, 'bug'],
        [`${event} labeled`, 'docs'],
      ]);
      assert.equal(added[0]?.[1][property].title.length > 0, true);
      assert.equal((await owner.delete(`${path}/labels/bug`)).status, 200);
      assert.equal((await only(`${event} unlabeled`)).label.color, 'ff0000');
      await owner.put(`${path}/labels`, { labels: ['docs'] });
      assert.deepEqual(await names(), [], 'what it has already it is not given again');
      await owner.delete(`${path}/labels`);
      assert.deepEqual(await names(), [`${event} unlabeled`]);
      await owner.patch(path, { labels: ['bug'] });
      assert.equal((await only(`${event} labeled`)).label.name, 'bug');
      await owner.patch(path, { labels: ['docs'] });
      assert.deepEqual(await names(), [`${event} labeled`, `${event} unlabeled`]);
    });

    test(`${event}: assigned and unassigned, by the endpoints of assignees and by PATCH`, async () => {
      const { path } = await subject(event);
      await owner.post(`${path}/assignees`, { assignees: ['helper', 'nobody-of-this-name'] });
      assert.equal((await only(`${event} assigned`)).assignee.login, 'helper');
      await owner.delete(`${path}/assignees`, { assignees: ['helper'] });
      assert.equal((await only(`${event} unassigned`)).assignee.login, 'helper');
      await owner.patch(path, { assignees: ['helper', 'owner'] });
      assert.deepEqual(await names(), [`${event} assigned`, `${event} assigned`]);
      await owner.patch(path, { assignees: ['owner'] });
      assert.equal((await only(`${event} unassigned`)).assignee.login, 'helper');
    });

    test(`${event}: milestoned and demilestoned`, async () => {
      const { path } = await subject(event);
      await owner.patch(path, { milestone: 1 });
      const provided = await only(`${event} milestoned`);
      assert.equal(
        event === 'issues' ? provided.milestone.title : provided[property].milestone.title,
        'First',
      );
      await owner.patch(path, { milestone: 2 });
      assert.deepEqual(await names(), [`${event} demilestoned`, `${event} milestoned`]);
      await owner.patch(path, { milestone: null });
      assert.equal((await only(`${event} demilestoned`)).milestone.title, 'Second');
    });

    test(`${event}: locked and unlocked`, async () => {
      const { path } = await subject(event);
      await owner.put(`${path}/lock`, { lock_reason: 'spam' });
      const locked = await only(`${event} locked`);
      assert.equal(locked[property].active_lock_reason, 'spam');
      await owner.put(`${path}/lock`, { lock_reason: 'spam' });
      assert.deepEqual(await names(), []);
      await owner.delete(`${path}/lock`);
      assert.equal((await only(`${event} unlocked`))[property].locked, false);
      await owner.delete(`${path}/lock`);
      assert.deepEqual(await names(), []);
    });
  }

  test('an issue that is opened with all of it is opened, and then given each', async () => {
    const { name } = await subject('issues');
    await owner.post(`/repos/${name}/issues`, {
      title: 'Two',
      labels: ['bug'],
      assignees: ['helper'],
      milestone: 1,
    });
    assert.deepEqual(await names(), [
      'issues assigned',
      'issues labeled',
      'issues milestoned',
      'issues opened',
    ]);
  });

  test('refused or ignored changes cause no events', async () => {
    const { name, path } = await subject('issues');
    const guest = await forge.user();
    await guest.post(`${path}/labels`, { labels: ['bug'] });
    await owner.patch(path, { labels: ['bug'], milestone: 99 });
    await owner.post(`${path}/labels`, { labels: ['x'.repeat(99)] });
    assert.deepEqual(await names(), []);
    const { body } = await owner.get(`/repos/${name}/issues/events`);
    assert.deepEqual(body, []);
  });

  test('a review that is asked for, and not any more, of people and teams', async () => {
    const company = await forge.organization(owner, 'company');
    const created = await owner.post(`/orgs/company/repos`, { name: 'tools', auto_init: true });
    const name: string = created.body.full_name;
    await makeCollaborator(name);
    const team = await owner.post('/orgs/company/teams', {
      name: 'Reviewers',
      privacy: 'closed',
    });
    assert.equal(team.status, 201, team.text);
    await owner.put(`/orgs/company/teams/reviewers/repos/${name}`, { permission: 'push' });
    const { body: main } = await owner.get(`/repos/${name}/git/ref/heads/main`);
    await owner.post(`/repos/${name}/git/refs`, { ref: 'refs/heads/topic', sha: main.object.sha });
    await owner.put(`/repos/${name}/contents/new.txt`, {
      message: 'New',
      content: '',
      branch: 'topic',
    });
    const pull = await owner.post(`/repos/${name}/pulls`, {
      title: 'T',
      head: 'topic',
      base: 'main',
    });
    assert.equal(pull.status, 201, pull.text);
    await hook(name, ['pull_request']);
    const path = `/repos/${name}/pulls/${pull.body.number}/requested_reviewers`;
    const values = { reviewers: ['helper'], team_reviewers: ['reviewers'] };
    assert.equal((await owner.post(path, values)).status, 201);
    const requested = await delivered();
    assert.deepEqual(
      requested.map(([event]) => event),
      ['pull_request review_requested', 'pull_request review_requested'],
    );
    const recipients = requested.map(
      ([, body]) => `${body.requested_reviewer?.login} ${body.requested_team?.slug}`,
    );
    assert.deepEqual(recipients.toSorted(), ['helper undefined', 'undefined reviewers']);
    assert.equal(requested[0]?.[1].organization.login, company.login);
    await owner.post(path, values);
    assert.deepEqual(await names(), [], 'who was asked already is not asked again');
    await owner.delete(path, { reviewers: ['helper', 'owner'], team_reviewers: ['reviewers'] });
    assert.deepEqual(await names(), [
      'pull_request review_request_removed',
      'pull_request review_request_removed',
    ]);
    const timeline = await owner.get(`/repos/${name}/issues/${pull.body.number}/events`);
    assert.deepEqual(
      timeline.body.map((row: Received['body']) => [
        row.event,
        row.requested_reviewer?.login ?? row.requested_team?.slug,
        row.review_requester?.login,
      ]),
      [
        ['review_requested', 'helper', 'owner'],
        ['review_requested', 'reviewers', 'owner'],
        ['review_request_removed', 'helper', 'owner'],
        ['review_request_removed', 'reviewers', 'owner'],
      ],
    );
    await owner.patch('/orgs/company/teams/reviewers', { privacy: 'secret' });
    const later = await helper.get(`/repos/${name}/issues/${pull.body.number}/events`);
    assert.equal(later.body.length, 4);
    assert.doesNotMatch(later.text, /reviewers/, 'a secret team is hidden from readers');
  });

  test('comments on lines: created, edited and deleted, alone and in a review', async () => {
    const { name, path, head } = await openPull(forge, owner);
    await hook(name, ['pull_request_review_comment', 'pull_request_review']);
    const position = { commit_id: head, path: 'new.txt', line: 1, side: 'RIGHT' };
    const created = await owner.post(`${path}/comments`, { ...position, body: 'Why?' });
    assert.equal(created.status, 201, created.text);
    const sent = await delivered();
    assert.deepEqual(
      sent.map(([event]) => event),
      ['pull_request_review submitted', 'pull_request_review_comment created'],
    );
    assert.equal(sent[1]?.[1].comment.body, 'Why?');
    assert.equal(sent[1]?.[1].comment.path, 'new.txt');
    const comment = `/repos/${name}/pulls/comments/${created.body.id}`;
    await owner.patch(comment, { body: 'Why so?' });
    const edited = await only('pull_request_review_comment edited');
    assert.deepEqual(edited.changes, { body: { from: 'Why?' } });
    await owner.patch(comment, { body: 'Why so?' });
    assert.deepEqual(await names(), []);
    const answered = await owner.post(`${path}/comments/${created.body.id}/replies`, {
      body: 'So.',
    });
    assert.equal(answered.status, 201, answered.text);
    assert.equal((await names()).length, 2);
    assert.equal((await owner.delete(comment)).status, 204);
    assert.equal((await only('pull_request_review_comment deleted')).comment.body, 'Why so?');

    const draft = await owner.post(`${path}/reviews`, {
      comments: [
        { path: 'new.txt', position: 1, body: 'One' },
        { path: 'new.txt', position: 1, body: 'Two' },
      ],
    });
    assert.equal(draft.status, 200, draft.text);
    assert.deepEqual(await names(), [], "drafts are nobody's business");
    await owner.post(`${path}/reviews/${draft.body.id}/events`, { event: 'COMMENT' });
    assert.deepEqual(await names(), [
      'pull_request_review submitted',
      'pull_request_review_comment created',
      'pull_request_review_comment created',
    ]);
    await owner.put(`${path}/reviews/${draft.body.id}`, { body: 'In all' });
    const input = await only('pull_request_review edited');
    assert.deepEqual(input.changes, { body: { from: '' } });
  });

  test('labels of the repository: created, edited and deleted', async () => {
    const { name, path } = await subject('issues');
    await hook(name, ['label']);
    await owner.post(`/repos/${name}/labels`, { name: 'new', color: 'abcdef' });
    assert.equal((await only('label created')).label.name, 'new');
    await owner.patch(`/repos/${name}/labels/new`, { new_name: 'newer', description: 'Newer' });
    const edited = await only('label edited');
    assert.deepEqual(edited.changes.name, { from: 'new' });
    assert.equal(edited.label.name, 'newer');
    assert.equal('color' in edited.changes, false);
    await owner.patch(`/repos/${name}/labels/newer`, { color: 'abcdef' });
    assert.deepEqual(await names(), []);
    await owner.delete(`/repos/${name}/labels/newer`);
    assert.equal((await only('label deleted')).label.description, 'Newer');
    await owner.post(`${path}/labels`, { labels: ['by the way', 'bug'] });
    const all = await delivered();
    const created = all.filter(([event]) => event === 'label created');
    assert.deepEqual(
      created.map(([, body]) => body.label.name),
      ['by the way'],
    );
  });

  test('milestones: created, edited, closed, opened and deleted', async () => {
    const name = await forge.repository(owner);
    await hook(name, ['milestone']);
    await owner.post(`/repos/${name}/milestones`, { title: 'One', due_on: '2026-05-01T00:00:00Z' });
    assert.equal((await only('milestone created')).milestone.creator.login, 'owner');
    const path = `/repos/${name}/milestones/1`;
    await owner.patch(path, { title: 'Uno', due_on: null });
    const edited = await only('milestone edited');
    assert.deepEqual(edited.changes.title, { from: 'One' });
    assert.equal(edited.changes.due_on.from, '2026-05-01T00:00:00Z');
    await owner.patch(path, { state: 'closed' });
    assert.equal((await only('milestone closed')).milestone.state, 'closed');
    await owner.patch(path, { state: 'closed', title: 'Uno' });
    assert.deepEqual(await names(), []);
    await owner.patch(path, { state: 'open', description: 'Again' });
    assert.deepEqual(await names(), ['milestone edited', 'milestone opened']);
    await owner.delete(path);
    assert.equal((await only('milestone deleted')).milestone.title, 'Uno');
  });

  test('releases: created, published, released, edited, unpublished and deleted', async () => {
    const name = await forge.repository(owner, { init: true });
    await hook(name, ['release']);
    const path = `/repos/${name}/releases`;
    const { body: one } = await owner.post(path, { tag_name: 'v1', name: 'One' });
    assert.deepEqual(await names(), ['release created', 'release published', 'release released']);
    await owner.patch(`${path}/${one.id}`, { name: 'Uno' });
    const edited = await only('release edited');
    assert.deepEqual(edited.changes, { name: { from: 'One' } });
    assert.equal(edited.release.name, 'Uno');
    await owner.patch(`${path}/${one.id}`, { name: 'Uno' });
    assert.deepEqual(await names(), []);
    await owner.patch(`${path}/${one.id}`, { prerelease: true });
    assert.equal((await only('release prereleased')).release.prerelease, true);
    await owner.patch(`${path}/${one.id}`, { draft: true });
    assert.equal((await only('release unpublished')).release.draft, true);
    await owner.delete(`${path}/${one.id}`);
    assert.equal((await only('release deleted')).release.tag_name, 'v1');
    const { body: two } = await owner.post(path, { tag_name: 'v2', draft: true });
    assert.equal((await only('release created')).release.draft, true);
    await owner.patch(`${path}/${two.id}`, { draft: false, prerelease: true });
    assert.deepEqual(await names(), ['release prereleased', 'release published']);
  });

  test('webhooks with all events get all of them, and the list of events continues', async () => {
    const { name, path } = await subject('issues');
    await hook(name, ['*']);
    await owner.post(`${path}/labels`, { labels: ['docs'] });
    const all = await names();
    assert.deepEqual(all, ['issues labeled', 'issues labeled'], 'one for each of two webhooks');
    await owner.patch(`/repos/${name}/labels/docs`, { color: '112233' });
    assert.deepEqual(await names(), ['label edited']);
    const { body } = await owner.get(`/repos/${name}/events`);
    const kinds: string[] = body.map((entry: { type: string }) => entry.type);
    assert.equal(kinds.filter((kind) => kind === 'IssuesEvent').length, 1);
  });

  test('an event whose milestone, label or comment was deleted has its last text', async () => {
    const { name, path } = await subject('issues');
    await owner.patch(path, { milestone: 1, labels: ['bug'] });
    await owner.delete(`/repos/${name}/milestones/1`);
    await owner.delete(`/repos/${name}/labels/bug`);
    const all = await delivered();
    assert.deepEqual(
      all.map(([event, body]) => [event, body.label?.name ?? body.milestone?.title]),
      [
        ['issues labeled', 'bug'],
        ['issues milestoned', 'First'],
      ],
    );
  });
});
