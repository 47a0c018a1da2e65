import assert from 'node:assert/strict';
import { after, before, describe, mock, test } from 'node:test';

import { RefusalError } from '../errors/api-error.ts';
import type { Scope } from '../model/scopes.ts';
import { repositoryId } from '../testing/commits.ts';
import { openPull } from '../testing/pull-fixture.ts';
import { type Receiver, startReceiver } from '../testing/receiver-fixture.ts';
import { signedInBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { createDeliverer, type Deliverer } from '../webhooks/delivery-worker.ts';

const mutation = `mutation ($issue: ID!, $to: ID!, $create: Boolean) {
  transferIssue(input: { issueId: $issue, repositoryId: $to, createLabelsIfMissing: $create }) {
    issue { id number url repository { nameWithOwner } } } }`;

describe('transferring an issue', () => {
  let forge: TestForge;
  let owner: TestUser;
  let helper: TestUser;
  let reader: TestUser;
  let receiver: Receiver;
  let deliverer: Deliverer;

  before(async () => {
    forge = await startTestForge({ webhookPrivateTargets: true });
    owner = await forge.user('owner');
    helper = await forge.user('helper');
    reader = await forge.user('reader');
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

  const idOf = async (name: string): Promise<string> =>
    (await owner.get(`/repos/${name}`)).body.node_id;

  // oxlint-disable-next-line typescript/no-explicit-any -- tests reach into answers of every shape
  const ask = async (who: TestUser, query: string, variables: object): Promise<any> =>
    (await who.post('/graphql', { query, variables })).body;

  async function transfer(
    who: TestUser,
    issue: string,
    to: string,
    create = false,
    // oxlint-disable-next-line typescript/no-explicit-any -- as above
  ): Promise<any> {
    return ask(who, mutation, { issue, to: await idOf(to), create });
  }

  async function invite(
    name: string,
    login: 'helper' | 'reader',
    permission: string,
  ): Promise<void> {
    const { body } = await owner.put(`/repos/${name}/collaborators/${login}`, { permission });
    const who = login === 'helper' ? helper : reader;
    await who.patch(`/user/repository_invitations/${body.id}`);
  }

  const newIssue = async (name: string, fields: object = {}): Promise<{ node_id: string }> =>
    (await owner.post(`/repos/${name}/issues`, { title: 'T', ...fields })).body;

  test('is refused without write access to both, and says nothing of what is hidden', async () => {
    const [from, to] = [await forge.repository(owner), await forge.repository(owner)];
    const hidden = await forge.repository(owner, { private: true });
    const { node_id: id } = await newIssue(from);
    const refused = async (target: string): Promise<string> =>
      (await transfer(helper, id, target)).errors[0].type;
    assert.equal(await refused(to), 'FORBIDDEN');
    assert.equal(await refused(hidden), 'NOT_FOUND');
    await invite(from, 'helper', 'push');
    assert.equal(await refused(to), 'FORBIDDEN', 'not to read only');
    await invite(to, 'helper', 'triage');
    assert.equal(await refused(to), 'FORBIDDEN', 'not with triage');
    const message = (await transfer(helper, id, to)).errors[0].message;
    assert.match(
      message,
      /helper does not have the correct permissions to execute `TransferIssue`/,
    );
    assert.equal((await owner.get(`/repos/${from}/issues/1`)).status, 200);
  });

  test('is refused for pulls, other owners, into the open, and where there are no issues', async () => {
    const { name, response } = await openPull(forge, owner);
    const to = await forge.repository(owner);
    assert.equal((await transfer(owner, response.body.node_id, to)).errors[0].type, 'NOT_FOUND');
    const { node_id: id } = await newIssue(name);
    const refused = async (target: string, issue = id): Promise<[string, string]> => {
      const { errors } = await transfer(owner, issue, target);
      return [errors[0].type, errors[0].message];
    };
    assert.match((await refused(name)).join(' '), /UNPROCESSABLE .*already in this repository/);
    const elsewhere = await forge.repository(helper);
    const invited = await helper.put(`/repos/${elsewhere}/collaborators/owner`, {});
    await owner.patch(`/user/repository_invitations/${invited.body.id}`);
    assert.match((await refused(elsewhere)).join(' '), /UNPROCESSABLE .*same user or organization/);
    const hidden = await forge.repository(owner, { private: true });
    const secret = await newIssue(hidden);
    assert.match((await refused(to, secret.node_id)).join(' '), /UNPROCESSABLE .*public/);
    await owner.patch(`/repos/${to}`, { has_issues: false });
    assert.match((await refused(to)).join(' '), /UNPROCESSABLE Issues are disabled/);
    await owner.patch(`/repos/${to}`, { has_issues: true, archived: true });
    assert.match((await refused(to)).join(' '), /FORBIDDEN .*archived/);
    await owner.patch(`/repos/${name}`, { archived: true });
    const fresh = await forge.repository(owner);
    assert.match((await refused(fresh)).join(' '), /FORBIDDEN .*archived/);
    for (const hostile of ['', 'x', id, 'R_'.repeat(999), "' or 1=1 --"]) {
      const { errors } = await ask(owner, mutation, { issue: id, to: hostile });
      assert.equal(errors[0].type, 'NOT_FOUND', hostile.slice(0, 20));
    }
  });

  test('takes all along that the target has a match for', async () => {
    const [from, to] = [await forge.repository(owner), await forge.repository(owner)];
    await invite(from, 'helper', 'push');
    const due = { due_on: '2030-01-02T08:00:00Z' };
    for (const [name, title, more] of [
      [from, 'M', due],
      [to, 'other', due],
      [to, 'M', due],
    ] as const) {
      await owner.post(`/repos/${name}/milestones`, { title, ...more });
    }
    await owner.post(`/repos/${to}/labels`, { name: 'BUG', color: '00ff00' });
    const fields = { labels: ['bug', 'lost'], assignees: ['owner', 'helper'], milestone: 1 };
    const { node_id: id } = await newIssue(from, { ...fields, body: 'B' });
    const comment = await reader.post(`/repos/${from}/issues/1/comments`, { body: 'C' });
    await helper.post(`/repos/${from}/issues/1/reactions`, { content: 'eyes' });
    await owner.post(`/repos/${to}/issues`, { title: 'First' });
    const { data } = await transfer(owner, id, to);
    const { issue } = data.transferIssue;
    assert.deepEqual([issue.id, issue.number, issue.repository.nameWithOwner], [id, 2, to]);
    const moved = (await owner.get(`/repos/${to}/issues/2`)).body;
    assert.equal(moved.html_url, issue.url);
    assert.deepEqual(
      moved.labels.map((label: { name: string; color: string }) => [label.name, label.color]),
      [['BUG', '00ff00']],
    );
    assert.deepEqual(
      moved.assignees.map((each: { login: string }) => each.login),
      ['owner'],
      'helper may not be assigned there',
    );
    assert.deepEqual([moved.milestone.title, moved.milestone.number], ['M', 2]);
    assert.deepEqual([moved.comments, moved.reactions.eyes, moved.body], [1, 1, 'B']);
    const { body: shown } = await owner.get(`/repos/${to}/issues/comments/${comment.body.id}`);
    assert.equal(shown.body, 'C');
    const events = (await owner.get(`/repos/${to}/issues/2/events`)).body;
    assert.equal(events.at(-1).event, 'transferred');
    const timeline = `query ($id: ID!) { node(id: $id) { ... on Issue {
      timelineItems(last: 1, itemTypes: [TRANSFERRED_EVENT]) { nodes { ... on TransferredEvent {
        actor { login } fromRepository { nameWithOwner } issue { number } } } } } } }`;
    const { node } = (await ask(owner, timeline, { id })).data;
    assert.deepEqual(node.timelineItems.nodes, [
      { actor: { login: 'owner' }, fromRepository: { nameWithOwner: from }, issue: { number: 2 } },
    ]);
    assert.equal((await owner.get(`/repos/${from}`)).body.open_issues_count, 0);
    assert.equal((await owner.get(`/repos/${to}`)).body.open_issues_count, 2);
    assert.equal((await owner.get(`/repos/${from}/milestones/1`)).body.open_issues, 0);
    assert.deepEqual((await owner.get(`/repos/${from}/issues?state=all`)).body, []);
    const ofTarget = (await owner.get(`/repos/${to}/events`)).body;
    assert.ok(
      ofTarget.some((each: { type: string }) => each.type === 'IssueCommentEvent'),
      'events move along',
    );
    assert.ok(
      (await owner.get(`/repos/${from}/events`)).body.every(
        (each: { type: string }) => !each.type.startsWith('Issue'),
      ),
    );
    const found = await owner.get(
      `/search/issues?q=${encodeURIComponent(`repo:${to} is:issue T`)}`,
    );
    assert.equal(found.body.items.length, 2, 'and “First”, which has a t');
    const [thread] = (await reader.get('/notifications?all=true')).body;
    assert.equal(thread.repository.full_name, to);
  });

  test('creates labels that are missing, where it is asked to', async () => {
    const [from, to] = [await forge.repository(owner), await forge.repository(owner)];
    const label = { name: 'odd', color: 'abcdef', description: 'D' };
    await owner.post(`/repos/${from}/labels`, label);
    const { node_id: id } = await newIssue(from, { labels: ['odd'] });
    assert.equal((await transfer(owner, id, to, true)).errors, undefined);
    const [kept] = (await owner.get(`/repos/${to}/issues/1`)).body.labels;
    assert.deepEqual([kept.name, kept.color, kept.description], ['odd', 'abcdef', 'D']);
    const { body: there } = await owner.get(`/repos/${to}/labels/odd`);
    assert.equal(there.id, kept.id);
  });

  test('makes the old number lead to the issue, for those who may read it', async () => {
    const from = await forge.repository(owner);
    const to = await forge.repository(owner, { private: true });
    const { node_id: id } = await newIssue(from, { title: 'Secret later' });
    await owner.post(`/repos/${from}/issues`, { title: 'Other', body: 'see #1' });
    assert.equal((await reader.get(`/repos/${from}/issues/1`)).status, 200);
    await transfer(owner, id, to);
    const gone = await owner.get(`/repos/${from}/issues/1`);
    const at = `/repositories/${await repositoryId(forge, to)}/issues/1`;
    assert.deepEqual([gone.status, gone.body.message], [301, 'Moved Permanently']);
    assert.ok(gone.body.url.endsWith(at) && gone.headers['location'] === gone.body.url);
    assert.equal((await owner.get(at)).body.title, 'Secret later');
    const change = await owner.patch(`/repos/${from}/issues/1`, { title: 'U' });
    assert.deepEqual([change.status, change.headers['location']], [307, gone.body.url]);
    assert.equal((await owner.get(`/repos/${from}/issues/1/comments`)).status, 404);
    const comment = { body: 'C' };
    assert.equal((await owner.post(`/repos/${from}/issues/1/comments`, comment)).status, 404);
    const browser = await signedInBrowser(forge, 'owner');
    const page = await browser.get(`/${from}/issues/1`);
    assert.ok([301, 302, 303].includes(page.status));
    assert.ok(page.headers['location']?.endsWith(`/${to}/issues/1`));
    assert.match(
      (await browser.get(`/${from}/issues/2`)).text,
      new RegExp(`href="[^"]*/${from}/issues/1"`),
    );
    assert.equal((await browser.get(`/${to}/issues/1`)).status, 200);
    // From a page that was opened before.
    const stale = await signedInBrowser(forge, 'owner');
    const third = await newIssue(from);
    await stale.get(`/${from}/issues/3`);
    await transfer(owner, third.node_id, to);
    const lost = await stale.submit(`/${from}/issues/3/comment`, { body: 'C' });
    assert.equal(lost.status, 404, 'not a redirect, as if it were done');
    assert.equal((await owner.get(`/repos/${to}/issues/2`)).body.comments, 0);
    const byNumber = `query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) {
      issue(number: 1) { title } } }`;
    const [login = '', name = ''] = from.split('/');
    const { data, errors } = await ask(owner, byNumber, { owner: login, name });
    assert.deepEqual([data.repository.issue, errors[0].type], [null, 'NOT_FOUND']);
    // The others see neither the issue nor where it is.
    for (const who of [reader, forge.anonymous]) {
      const hidden = await who.get(`/repos/${from}/issues/1`);
      const absent = await who.get(`/repos/${from}/issues/99`);
      assert.deepEqual([hidden.status, hidden.body], [404, absent.body]);
      assert.equal((await who.get(`/${from}/issues/1`)).status, 404);
      assert.doesNotMatch((await who.get(`/${from}/issues/2`)).text, /issues\/1"|Secret later/);
      assert.doesNotMatch((await who.get(`/repos/${from}/events`)).text, /Secret later/);
      assert.doesNotMatch((await who.get(`/repos/${from}/issues/events`)).text, /Secret later/);
    }
    const node = 'query ($id: ID!) { node(id: $id) { ... on Issue { title } } }';
    assert.equal((await ask(reader, node, { id })).errors[0].type, 'NOT_FOUND');
    assert.equal((await ask(owner, node, { id })).data.node.title, 'Secret later');
    assert.deepEqual(
      (await reader.get('/notifications?all=true&participating=true')).body.filter(
        (each: { subject: { title: string } }) => each.subject.title === 'Secret later',
      ),
      [],
    );
    assert.equal((await owner.post(`/repos/${from}/issues`, { title: 'N' })).body.number, 4);
  });

  test('back and forth leads from each old number to the issue, until it is deleted', async () => {
    const [one, other] = [await forge.repository(owner), await forge.repository(owner)];
    const { node_id: id } = await newIssue(one);
    await transfer(owner, id, other);
    await transfer(owner, id, one);
    const at = `/repositories/${await repositoryId(forge, one)}/issues/2`;
    for (const name of [one, other]) {
      const { headers } = await owner.get(`/repos/${name}/issues/1`);
      assert.ok(headers['location']?.endsWith(at), name);
    }
    const remove =
      'mutation ($id: ID!) { deleteIssue(input: { issueId: $id }) { clientMutationId } }';
    await ask(owner, remove, { id });
    assert.equal((await owner.get(`/repos/${other}/issues/1`)).status, 404);
    assert.equal((await owner.get(`/repos/${one}/issues/2`)).status, 410);
  });

  test('keeps a pin where there is room, and the state, and no commit of the old repository', async () => {
    const { name: from } = await openPull(forge, owner, { body: { body: 'fixes #2' } });
    const to = await forge.repository(owner);
    const closed = await newIssue(from);
    await owner.put(`/repos/${from}/pulls/1/merge`, {});
    const [event] = (await owner.get(`/repos/${from}/issues/2/events`)).body;
    assert.equal(event.event, 'closed');
    await transfer(owner, closed.node_id, to);
    const moved = (await owner.get(`/repos/${to}/issues/1`)).body;
    assert.deepEqual([moved.state, moved.state_reason], ['closed', 'completed']);
    const [kept] = (await owner.get(`/repos/${to}/issues/1/events`)).body;
    assert.deepEqual([kept.event, kept.commit_id], ['closed', null]);
    const pin = `mutation ($id: ID!) { pinIssue(input: { issueId: $id }) { issue { isPinned } } }`;
    const isPinned = 'query ($id: ID!) { node(id: $id) { ... on Issue { isPinned } } }';
    const pinned: boolean[] = [];
    for (const _ of [1, 2, 3, 4]) {
      const { node_id: id } = await newIssue(from);
      await ask(owner, pin, { id });
      await transfer(owner, id, to);
      pinned.push((await ask(owner, isPinned, { id })).data.node.isPinned);
    }
    assert.deepEqual(pinned, [true, true, true, false]);
  });

  test('is delivered to both, each with the other end; what is undelivered of before is not', async () => {
    const from = await forge.repository(owner);
    const to = await forge.repository(owner, { private: true });
    const config = { url: receiver.url, content_type: 'json' };
    for (const name of [from, to]) {
      await owner.post(`/repos/${name}/hooks`, { config, events: ['issues', 'label'] });
    }
    await deliverer.deliverDue();
    receiver.take();
    const { node_id: id } = await newIssue(from, { title: 'Before', labels: ['bug'] });
    await transfer(owner, id, to, true);
    await owner.patch(`/repos/${to}/issues/1`, { title: 'Hidden' });
    await deliverer.deliverDue();
    const delivered = receiver.take().map(({ body }) => body);
    const ofSource = delivered.filter(({ repository }) => repository.full_name === from);
    assert.deepEqual(
      ofSource.map(({ action }) => action).toSorted(),
      ['created', 'transferred'],
      'the label, and not the issue that was opened, which is elsewhere now',
    );
    const transferred = ofSource.find(({ action }) => action === 'transferred');
    const { issue, changes } = transferred;
    assert.deepEqual([issue.title, issue.number, issue.labels[0].name], ['Before', 1, 'bug']);
    assert.ok(issue.url.endsWith(`/repos/${from}/issues/1`));
    assert.deepEqual([changes.new_issue.title, changes.new_repository.full_name], ['Before', to]);
    assert.ok(changes.new_issue.url.endsWith(`/repos/${to}/issues/1`));
    const opened = delivered.find(
      ({ action, repository }) => action === 'opened' && repository.full_name === to,
    );
    assert.equal(opened.issue.title, 'Hidden');
    assert.ok(opened.changes.old_issue.url.endsWith(`/repos/${from}/issues/1`));
    assert.equal(opened.changes.old_repository.full_name, from);
  });

  test('is done once of several at the same time, with all comments that were accepted', async () => {
    const from = await forge.repository(owner);
    const targets = [await forge.repository(owner), await forge.repository(owner)];
    const { node_id: id } = await newIssue(from);
    const comments = [1, 2, 3, 4].map(() =>
      owner.post(`/repos/${from}/issues/1/comments`, { body: 'C' }),
    );
    const transfers = [...targets, ...targets].map((to) => transfer(owner, id, to));
    const close = owner.patch(`/repos/${from}/issues/1`, { state: 'closed' });
    const answers = await Promise.all(transfers);
    const said = await Promise.all(comments);
    await close;
    const query = `query ($id: ID!) { node(id: $id) { ... on Issue {
      state comments { totalCount } repository { nameWithOwner issues(states: [OPEN]) { totalCount } }
      timelineItems(itemTypes: [TRANSFERRED_EVENT]) { totalCount } } } }`;
    const { node } = (await ask(owner, query, { id })).data;
    const done = answers.filter(({ errors }) => !errors);
    assert.ok(done.length > 0);
    assert.equal(node.timelineItems.totalCount, done.length);
    assert.equal(node.comments.totalCount, said.filter(({ status }) => status === 201).length);
    const open: number[] = await Promise.all(
      [from, ...targets].map(
        async (name) => (await owner.get(`/repos/${name}`)).body.open_issues_count,
      ),
    );
    const total = open.reduce((sum, each) => sum + each, 0);
    assert.equal(total, node.state === 'OPEN' ? 1 : 0);
    assert.equal(node.repository.issues.totalCount, total);
  });

  test('is followed by pulls that close it, as far as their mergers may', async () => {
    const { name: from } = await openPull(forge, owner, { body: { body: 'fixes #2, fixes #3' } });
    const to = await forge.repository(owner);
    const hidden = await forge.repository(owner, { private: true });
    const first = await newIssue(from);
    const second = await newIssue(from);
    await transfer(owner, first.node_id, to);
    await transfer(owner, second.node_id, hidden);
    assert.equal((await owner.put(`/repos/${from}/pulls/1/merge`, {})).status, 200);
    assert.equal((await owner.get(`/repos/${to}/issues/1`)).body.state, 'closed');
    const [event] = (await owner.get(`/repos/${to}/issues/1/events`)).body.slice(-1);
    assert.deepEqual([event.event, event.commit_id], ['closed', null]);
    // A change of public code closes nothing private.
    assert.equal((await owner.get(`/repos/${hidden}/issues/1`)).body.state, 'open');
  });

  test('crosses another one in the opposite direction', async () => {
    const names = [await forge.repository(owner), await forge.repository(owner)] as const;
    const ids = await Promise.all(
      names.flatMap((name) => [1, 2, 3].map(async () => (await newIssue(name)).node_id)),
    );
    const targets = await Promise.all([idOf(names[1]), idOf(names[0])]);
    const answers = await Promise.all(
      ids.map((issue, index) => ask(owner, mutation, { issue, to: targets[index < 3 ? 0 : 1] })),
    );
    for (const { errors } of answers) assert.equal(errors, undefined, JSON.stringify(errors));
    for (const name of names) {
      assert.equal((await owner.get(`/repos/${name}`)).body.open_issues_count, 3);
      const numbers = (await owner.get(`/repos/${name}/issues`)).body.map(
        (issue: { number: number }) => issue.number,
      );
      assert.deepEqual(numbers, [6, 5, 4]);
    }
  });

  test('needs a token that may write', async () => {
    const [from, to] = [await forge.repository(owner), await forge.repository(owner)];
    const { node_id: id } = await newIssue(from);
    const toId = await idOf(to);
    const attempt = async (scopes: readonly Scope[]): Promise<string | undefined> => {
      const who = await forge.withScopes(owner, scopes);
      const { errors } = (
        await who.post('/graphql', { query: mutation, variables: { issue: id, to: toId } })
      ).body;
      return errors?.[0].type;
    };
    assert.equal(await attempt(['read:org']), 'NOT_FOUND');
    assert.equal(await attempt(['public_repo']), undefined);
    assert.equal((await owner.get(`/repos/${to}/issues/1`)).status, 200);
  });

  test('leaves everything as it was when it fails midway', async () => {
    const [from, to] = [await forge.repository(owner), await forge.repository(owner)];
    const { node_id: id } = await newIssue(from, { labels: ['bug'] });
    const { database } = forge;
    const write = database.write.bind(database);
    const failing = mock.method(
      database,
      'write',
      (...[work, options]: Parameters<typeof write>) => {
        failing.mock.restore();
        return write(async (sql) => {
          await work(sql);
          throw new RefusalError({ kind: 'unprocessable', message: 'out of order' });
        }, options);
      },
    );
    assert.equal((await transfer(owner, id, to, true)).errors[0].message, 'out of order');
    const { body } = await owner.get(`/repos/${from}/issues/1`);
    assert.deepEqual([body.title, body.labels.length, body.node_id], ['T', 1, id]);
    assert.deepEqual((await owner.get(`/repos/${to}/labels`)).body, []);
    assert.equal((await owner.get(`/repos/${to}`)).body.open_issues_count, 0);
    assert.equal((await owner.post(`/repos/${to}/issues`, { title: 'N' })).body.number, 1);
  });
});
