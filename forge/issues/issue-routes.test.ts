import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('issues', () => {
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    outsider = await forge.user('stranger');
  });
  after(() => forge.close());

  test('issues of a private repository are hidden, and anonymous callers cannot open one', async () => {
    const hidden = await forge.repository(owner, { private: true });
    await owner.post(`/repos/${hidden}/issues`, { title: 'Secret' });
    for (const path of ['', '/1', '/1/labels', '/1/events', '/events'].map(
      (tail) => `/repos/${hidden}/issues${tail}`,
    )) {
      assert.equal((await outsider.get(path)).status, 404, path);
    }
    const name = await forge.repository(owner);
    const anonymous = await forge.anonymous.post(`/repos/${name}/issues`, { title: 'x' });
    assert.equal(anonymous.status, 401);
    assert.equal((await owner.get(`/repos/${name}/issues/1`)).status, 404);
    assert.equal((await owner.patch(`/repos/${name}/issues/1`, { title: 'x' })).status, 404);
  });

  test('an issue needs a title, and fields of the right type', async () => {
    const name = await forge.repository(owner);
    const path = `/repos/${name}/issues`;
    const [missing] = (await owner.post(path, {})).body.errors;
    assert.deepEqual(
      [missing.resource, missing.field, missing.code],
      ['Issue', 'title', 'missing_field'],
    );
    const [mistyped] = (await owner.post(path, { title: 5 })).body.errors;
    assert.deepEqual([mistyped.field, mistyped.code], ['title', 'invalid']);
    assert.match(mistyped.message, /5 is not a string\./);
    assert.equal((await owner.post(path, { title: ' ' })).body.errors[0].code, 'missing_field');
    const milestone = await owner.post(path, { title: 'x', milestone: 9 });
    assert.deepEqual(milestone.body.errors, [
      { value: 9, resource: 'Issue', field: 'milestone', code: 'invalid' },
    ]);
    assert.equal((await owner.post(path, { title: 'x', milestone: 1e30 })).status, 422);
    const [label] = (await owner.post(path, { title: 'x', labels: [5] })).body.errors;
    assert.deepEqual([label.field, label.code], ['labels', 'invalid']);
    assert.deepEqual((await owner.get(path)).body, [], 'a refused issue is not there');
    assert.equal((await owner.get(`/repos/${name}`)).body.open_issues_count, 0);
    await owner.post(path, { title: 'x' });
    const patched = await owner.patch(`${path}/1`, { state: 'merged' });
    assert.match(
      patched.body.errors[0].message,
      /merged is not a member of \["open", "closed"\]\./,
    );
  });

  test('issues that are turned off are not opened', async () => {
    const name = await forge.repository(owner);
    await owner.patch(`/repos/${name}`, { has_issues: false });
    const response = await owner.post(`/repos/${name}/issues`, { title: 'x' });
    assert.equal(response.status, 404);
    assert.equal(response.body.message, 'Issues are disabled for this repo');
  });

  test('an issue is opened, read in every format, closed by its author and reopened', async () => {
    const name = await forge.repository(owner);
    const created = await outsider.post(`/repos/${name}/issues`, {
      title: 'Broken',
      body: '*why*',
    });
    assert.equal(created.status, 201, created.text);
    assert.equal(created.headers['location'], created.body.url);
    assert.equal(created.body.html_url, `http://forge.test/${name}/issues/1`);
    assert.equal('pull_request' in created.body, false);
    const { number, user, comments, author_association: association } = created.body;
    assert.deepEqual([number, user.login, comments, association], [1, 'stranger', 0, 'NONE']);
    const path = `/repos/${name}/issues/1`;
    const full = await owner.get(path, { accept: 'application/vnd.github.v3.full+json' });
    assert.deepEqual(
      [full.body.body, full.body.body_text, full.body.body_html],
      ['*why*', 'why', '<p><em>why</em></p>'],
    );
    assert.equal(full.headers['x-accepted-oauth-scopes'], 'repo');
    forge.clock.advance(1000);
    const closed = await outsider.patch(path, { state: 'closed' });
    assert.deepEqual([closed.body.state, closed.body.closed_by.login], ['closed', 'stranger']);
    assert.equal((await owner.get(`/repos/${name}`)).body.open_issues_count, 0);
    assert.equal((await outsider.patch(path, { state: 'closed' })).status, 200);
    const open = await owner.patch(path, { state: 'open', title: 'Still broken' });
    assert.deepEqual(
      [open.body.closed_at, open.body.closed_by, open.body.title],
      [null, null, 'Still broken'],
    );
    assert.equal((await owner.get(`/repos/${name}`)).body.open_issues_count, 1);
    const other = await forge.user();
    assert.equal((await other.patch(path, { title: 'Mine' })).status, 404);
  });

  test('labels, assignees and milestones come from who may triage, and are passed over from others', async () => {
    const name = await forge.repository(owner);
    await owner.post(`/repos/${name}/milestones`, { title: '1.0' });
    const input = {
      title: 'x',
      labels: ['bug', { name: 'new' }],
      assignees: ['own'],
      milestone: 1,
    };
    const theirs = await outsider.post(`/repos/${name}/issues`, input);
    assert.deepEqual(
      [theirs.body.labels, theirs.body.assignees, theirs.body.milestone],
      [[], [], null],
    );
    assert.deepEqual((await owner.get(`/repos/${name}/labels`)).body, []);
    const mine = await owner.post(`/repos/${name}/issues`, input);
    assert.deepEqual(
      mine.body.labels.map((label: { name: string; color: string }) => [label.name, label.color]),
      [
        ['bug', 'ededed'],
        ['new', 'ededed'],
      ],
    );
    assert.deepEqual([mine.body.assignee.login, mine.body.assignees.length], ['own', 1]);
    assert.deepEqual([mine.body.milestone.number, mine.body.milestone.open_issues], [1, 1]);
    const path = `/repos/${name}/issues/2`;
    const emptied = await owner.patch(path, { labels: ['BUG'], assignee: null, milestone: null });
    assert.deepEqual(
      [emptied.body.labels.length, emptied.body.assignee, emptied.body.milestone],
      [1, null, null],
    );
    const events = (await owner.get(`${path}/events`)).body;
    assert.deepEqual(
      events.map((event: { event: string }) => event.event),
      ['labeled', 'labeled', 'assigned', 'milestoned', 'unlabeled', 'unassigned', 'demilestoned'],
    );
  });

  test('a list is filtered and sorted', async () => {
    const name = await forge.repository(owner);
    const path = `/repos/${name}/issues`;
    await owner.post(`/repos/${name}/milestones`, { title: '1.0' });
    await owner.post(path, { title: 'one', labels: ['a', 'b'], assignees: ['own'] });
    await outsider.post(path, { title: 'two' });
    forge.clock.advance(60_000);
    await owner.post(path, { title: 'three', labels: ['a'], milestone: 1 });
    await owner.patch(`${path}/2`, { state: 'closed' });
    const numbers = async (query: string): Promise<number[]> =>
      (await owner.get(`${path}${query}`)).body.map((issue: { number: number }) => issue.number);
    assert.deepEqual(await numbers(''), [3, 1]);
    assert.deepEqual(await numbers('?state=all&direction=asc'), [1, 2, 3]);
    assert.deepEqual(await numbers('?state=closed'), [2]);
    assert.deepEqual(await numbers('?labels=A'), [3, 1]);
    assert.deepEqual(await numbers('?labels=a,b'), [1]);
    assert.deepEqual(await numbers('?assignee=OWN'), [1]);
    assert.deepEqual(await numbers('?assignee=none'), [3]);
    assert.deepEqual(await numbers('?assignee=*'), [1]);
    assert.deepEqual(await numbers('?creator=stranger&state=all'), [2]);
    assert.deepEqual(await numbers('?milestone=1'), [3]);
    assert.deepEqual(await numbers('?milestone=none'), [1]);
    assert.deepEqual(await numbers('?milestone=*'), [3]);
    assert.deepEqual(await numbers('?milestone=77'), []);
    assert.equal((await owner.get(`${path}?milestone=x`)).status, 422);
    assert.equal((await owner.get(`${path}?state=x`)).status, 422);
    const since = new Date(forge.clock.now()).toISOString();
    assert.deepEqual(await numbers(`?state=all&since=${since}`), [3, 2]);
    const page = await owner.get(`${path}?state=all&per_page=1`);
    assert.match(page.headers['link'] ?? '', /rel="last"/);
  });
});
