import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { repositoryId } from '../testing/commits.ts';
import { openPull } from '../testing/pull-fixture.ts';
import { signedInBrowser, type TestBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('pages of issues, invitations and collaborators', () => {
  let forge: TestForge;
  let owner: TestUser;
  let browser: TestBrowser;
  let guest: TestBrowser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('ada');
    await forge.user('grace');
    browser = await signedInBrowser(forge, 'ada');
    guest = await signedInBrowser(forge, 'grace');
  });
  after(() => forge.close());

  async function tokenOn(by: TestBrowser): Promise<string> {
    const { text } = await by.get('/settings/tokens');
    return /name="form_token" value="([^"]+)"/.exec(text)?.[1] ?? '';
  }

  async function issueIn(options: { private?: boolean } = {}) {
    const name = await forge.repository(owner, { init: true, ...options });
    const { body } = await owner.post(`/repos/${name}/issues`, {
      title: '<b>Broken</b>',
      body: '<script>alert(1)</script>',
      labels: ['bug'],
    });
    return { name, number: body.number, html: new URL(body.html_url).pathname };
  }

  test('a private repository shows and takes nothing from who may not read it', async () => {
    const { name, html } = await issueIn({ private: true });
    const form_token = await tokenOn(guest);
    for (const path of [
      `/${name}/issues`,
      html,
      `/${name}/milestone/1`,
      `/${name}/collaborators`,
    ]) {
      assert.equal((await guest.get(path)).status, 404, path);
    }
    for (const path of [
      `/${name}/issues`,
      `${html}/comment`,
      `${html}/close`,
      `/${name}/collaborators/invite`,
    ]) {
      const fields = { form_token, title: 'x', body: 'x', username: 'grace' };
      assert.equal((await guest.post(path, fields)).status, 404, path);
    }
    assert.equal((await owner.get(`/repos/${name}/issues`)).body.length, 1);
  });

  test('a form without its token changes nothing', async () => {
    const { name, html } = await issueIn();
    for (const path of [
      `/${name}/issues`,
      `${html}/close`,
      `${html}/comment`,
      `/${name}/collaborators/invite`,
      '/-/invitations/1/accept',
      '/-/invitations/1/decline',
    ]) {
      const fields = { title: 'x', body: 'x', username: 'grace' };
      assert.equal((await browser.post(path, fields)).status, 403, path);
    }
    assert.equal((await owner.get(`/repos/${name}/issues`)).body.length, 1);
  });

  test('readers may comment, and neither close nor label nor lock', async () => {
    const { name, number, html } = await issueIn();
    const form_token = await tokenOn(guest);
    for (const act of ['close', 'edit', 'labels', 'lock']) {
      const fields = { form_token, title: 'Mine', new_label: 'x' };
      assert.equal((await guest.post(`${html}/${act}`, fields)).status, 403, act);
    }
    await guest.get(html);
    assert.equal((await guest.submit(`${html}/comment`, { body: 'Hello' })).status, 303);
    const { body } = await owner.get(`/repos/${name}/issues/${number}`);
    assert.deepEqual([body.state, body.locked, body.comments], ['open', false, 1]);
  });

  test('a long conversation begins with what is newest, and leads to the rest', async () => {
    const { name, number } = await issueIn();
    const comments = `/repos/${name}/issues/${number}/comments`;
    await owner.post(comments, { body: 'text 1.' });
    await forge.database.write((sql) =>
      sql.run(
        `with recursive counter (n) as (select 2 union all select n + 1 from counter where n < 301)
         insert into issue_comments (issue_id, repository_id, author_id, body, created_at, updated_at)
         select c.issue_id, c.repository_id, c.author_id, 'text ' || n || '.', c.created_at, c.updated_at
         from counter, issue_comments c where c.id = (select max(id) from issue_comments) order by n`,
      ),
    );
    const html = `/${name}/issues/${number}`;
    const first = await browser.get(html);
    assert.match(first.text, /text 301\./);
    assert.doesNotMatch(first.text, /text 1\./);
    assert.match(first.text, /href="[^"]*\?page=2"[^>]*>Older/);
    const second = await browser.get(`${html}?page=2`);
    assert.match(second.text, /text 1\.[^]*href="[^"]*\?page=1"|href="[^"]*\?page=1"[^]*text 1\./);
    assert.doesNotMatch(second.text, /text 2\./);
    const [, edit = ''] = /href="([^"]*edit=[^"#]*)/.exec(second.text) ?? [];
    await browser.get(edit.replaceAll('&amp;', '&'));
    const saved = await browser.submit(`${html}/edit-text?page=2`, { text: 'changed' });
    assert.equal(saved.status, 303, saved.text);
    assert.match(saved.headers['location'] ?? '', /\?page=2#issuecomment-\d+$/);
    assert.match((await browser.get(`${html}?page=2`)).text, /changed/);
  });

  test('the list takes a filter, and says what of it is not understood', async () => {
    const { name } = await issueIn();
    const list = async (q: string): Promise<string> => {
      const response = await forge.anonymous.get(`/${name}/issues?q=${encodeURIComponent(q)}`);
      assert.equal(response.status, 200, response.text);
      return response.text;
    };
    assert.match(await list('is:open label:bug author:ada'), /&lt;b&gt;Broken/);
    assert.match(await list('is:open label:"no such"'), /No issue matches/);
    assert.doesNotMatch(await list('is:issue is:open label:bug'), /does not know/);
    assert.match(await list('is:pr is:open'), /does not know “is:pr”/);
    assert.match(await list('is:closed'), /No issue matches/);
    assert.match(await list('<script> is:open'), /does not know “&lt;script&gt;”/);
    assert.doesNotMatch(await list('milestone:99 assignee:nobody'), /Broken/);
  });

  test('a link fills in the form of a new issue', async () => {
    const { name } = await issueIn();
    const query = new URLSearchParams({ title: 'A <crash>', body: 'Steps', labels: 'bug,other' });
    const { text } = await browser.get(`/${name}/issues/new?${query.toString()}`);
    assert.match(text, /value="A &lt;crash&gt;"/);
    assert.match(text, />\nSteps<\/textarea>/);
    assert.match(text, /name="labels" value="bug" checked/);
  });

  test('labels and milestones go on on further pages', async () => {
    const name = await forge.repository(owner);
    const last = '099';
    const repository = await repositoryId(forge, name);
    const counter = `with recursive counter (n, title) as (
      select 0, '000' union all select n + 1, substr('' || (1001 + n), 2) from counter where n < 100)`;
    await forge.database.write(async (sql) => {
      await sql.run(
        `${counter} insert into labels (repository_id, name, name_key, color)
         select cast($1 as bigint), 'label-' || title, 'label-' || title, 'ededed' from counter`,
        repository,
      );
      await sql.run(
        `${counter} insert into milestones (repository_id, number, title, state, creator_id, created_at, updated_at)
         select cast($1 as bigint), n + 1, 'stone-' || title, 'open', cast($2 as bigint), 1, 1 from counter`,
        repository,
        owner.account.id,
      );
    });
    for (const [page, item] of [
      ['labels', 'label'],
      ['milestones', 'stone'],
    ] as const) {
      const [first, second] = [
        await browser.get(`/${name}/${page}`),
        await browser.get(`/${name}/${page}?page=2`),
      ];
      assert.match(first.text, new RegExp(`${item}-${last}`));
      assert.doesNotMatch(first.text, new RegExp(`${item}-100`));
      assert.match(first.text, /\?page=2"/);
      assert.match(second.text, new RegExp(`${item}-100`));
      assert.doesNotMatch(second.text, new RegExp(`${item}-${last}`));
    }
  });

  test('a label with a comma in its name leads to its issues', async () => {
    const { name, number } = await issueIn();
    const label = 'help wanted, easy';
    await owner.post(`/repos/${name}/issues/${number}/labels`, { labels: [label] });
    const { text } = await forge.anonymous.get(`/${name}/labels`);
    const [, href = ''] = /href="([^"]*q=[^"]*easy[^"]*)"/.exec(text) ?? [];
    const list = await forge.anonymous.get(href.replaceAll('&amp;', '&'));
    assert.match(list.text, /&lt;b&gt;Broken/);
  });

  test('an issue is opened, shown escaped, edited, closed and reopened', async () => {
    const { name } = await issueIn();
    const blank = await forge.anonymous.get(`/${name}/issues/new`);
    assert.match(blank.headers['location'] ?? '', /^\/login\?return_to=/);
    await browser.get(`/${name}/issues/new`);
    const refused = await browser.submit(`/${name}/issues`, { title: ' ', body: '<i>kept' });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /&lt;i&gt;kept<\/textarea>/);
    const created = await browser.submit(`/${name}/issues`, { title: '<script>', body: 'a\r\nb' });
    assert.equal(created.status, 303, created.text);
    const path = new URL(created.headers['location'] ?? '').pathname;
    for (const [act, fields] of [
      ['comment', { body: '<img src=x onerror=alert(1)>' }],
      ['labels', { new_label: 'docs' }],
      ['close', {}],
      ['reopen', {}],
      ['edit', { title: 'Better', description: 'c' }],
      ['lock', { lock_reason: 'resolved' }],
      ['unlock', {}],
    ] as const) {
      assert.equal((await browser.get(path)).status, 200);
      const response = await browser.submit(`${path}/${act}`, fields);
      assert.equal(response.status, 303, `${act}: ${response.text}`);
    }
    const { text } = await browser.get(path);
    assert.doesNotMatch(text, /<script(?! type="module" src="\/assets\/)|<img src=x/);
    assert.match(text, /Better/);
    assert.match(text, /changed the title from “&lt;script&gt;” to “Better”/);
  });

  test('a new issue has labels, assignees and a milestone where its author may set them', async () => {
    const { name } = await issueIn();
    await owner.post(`/repos/${name}/milestones`, { title: 'Launch' });
    const form = await browser.get(`/${name}/issues/new`);
    assert.match(form.text, /name="labels" value="bug"/);
    const fields = { title: 'Planned', labels: 'bug', assignees: 'ada', milestone: '1' };
    const created = await browser.submit(`/${name}/issues`, fields);
    assert.equal(created.status, 303, created.text);
    const number = /\d+$/.exec(created.headers['location'] ?? '')?.[0];
    const { body } = await owner.get(`/repos/${name}/issues/${number}`);
    assert.deepEqual(
      [body.labels[0].name, body.assignees[0].login, body.milestone.title],
      ['bug', 'ada', 'Launch'],
    );
    await browser.get(`/${name}/issues/new`);
    const wrong = await browser.submit(`/${name}/issues`, { title: 'x', milestone: 'none' });
    assert.equal(wrong.status, 422);
    assert.doesNotMatch((await guest.get(`/${name}/issues/new`)).text, /name="assignees"/);
  });

  test('the number of a pull leads to the pull, and a milestone to its issues', async () => {
    const pull = await openPull(forge, owner);
    const issue = await forge.anonymous.get(`/${pull.name}/issues/${pull.number}`);
    assert.equal(issue.headers['location'], `http://forge.test/${pull.name}/pull/${pull.number}`);
    const milestone = (await owner.post(`/repos/${pull.name}/milestones`, { title: 'M' })).body;
    const page = await forge.anonymous.get(new URL(milestone.html_url).pathname);
    assert.match(page.headers['location'] ?? '', /\/issues\?q=is%3Aall%20milestone%3A1$/);
  });

  test('the list of pulls is of the state that is asked for', async () => {
    const pull = await openPull(forge, owner);
    const list = async (state: string): Promise<string> =>
      (await forge.anonymous.get(`/${pull.name}/pulls?state=${state}`)).text;
    assert.match(await list('open'), /Add a file/);
    assert.doesNotMatch(await list('closed'), /Add a file/);
    assert.match(await list('closed'), /No pull request matches/);
  });

  test('the list of pulls takes the filter of issues, and shows labels and checks', async () => {
    const pull = await openPull(forge, owner);
    const at = `/repos/${pull.name}`;
    await owner.post(`${at}/issues/1/labels`, { labels: ['<b>bug'] });
    await owner.post(`${at}/statuses/${pull.head}`, { state: 'failure', context: 'ci' });
    await owner.post(`${at}/issues`, { title: 'No pull' });
    const list = async (q: string): Promise<string> => {
      const { status, text } = await browser.get(`/${pull.name}/pulls?q=${encodeURIComponent(q)}`);
      assert.equal(status, 200, text);
      return text;
    };
    const open = await list('is:open label:"<b>bug" author:ada');
    assert.match(open, /Add a file[^]*&lt;b&gt;bug[^]*✗ failed[^]*#1 by ada/);
    assert.doesNotMatch(open, /No pull<|pull request matches/);
    for (const q of ['author:grace', 'is:closed', 'label:other', 'milestone:7', 'assignee:ada']) {
      assert.match(await list(q), /No pull request matches/, q);
    }
    assert.match(await list('is:open sort:x'), /The filter does not know “sort:x”/);
  });

  test('a person is invited, accepts or declines, and is removed', async () => {
    const { name } = await issueIn({ private: true });
    const people = `/${name}/collaborators`;
    const invite = async (username: string): Promise<number> => {
      await browser.get(people);
      const response = await browser.submit(`${people}/invite`, { username, permission: 'push' });
      return response.status;
    };
    assert.equal(await invite('nobody-here'), 422);
    assert.equal(await invite('grace'), 303);
    assert.match((await browser.get(people)).text, /Cancel the invitation of grace/);
    const { text } = await guest.get('/-/invitations');
    const [, decline = ''] = /action="(\/-\/invitations\/\d+\/decline)"/.exec(text) ?? [];
    assert.ok(text.includes(name));
    // An invitation is for its invitee alone.
    const stolen = await browser.post(decline.replace('decline', 'accept'), {
      form_token: await tokenOn(browser),
    });
    assert.equal(stolen.status, 404);
    await guest.get('/-/invitations');
    assert.equal((await guest.submit(decline)).status, 303);
    assert.match((await guest.get('/-/invitations')).text, /no pending invitations/);
    assert.equal(await invite('grace'), 303);
    const again = (await guest.get('/-/invitations')).text;
    const [, accept = ''] = /action="(\/-\/invitations\/\d+\/accept)"/.exec(again) ?? [];
    assert.equal((await guest.submit(accept)).status, 303);
    assert.equal((await guest.get(`/${name}`)).status, 200);
    await browser.get(people);
    assert.equal((await browser.submit(`${people}/remove`)).status, 303);
    assert.equal((await guest.get(`/${name}`)).status, 404);
  });
});
