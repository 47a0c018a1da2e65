import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { type OpenedPull, openPull, untilChecked } from '../testing/pull-fixture.ts';
import { createTestBrowser, type TestBrowser } from '../testing/test-browser.ts';
import {
  startTestForge,
  type TestForge,
  type TestResponse,
  type TestUser,
} from '../testing/test-forge.ts';

describe('the page of a pull', () => {
  let forge: TestForge;
  /** Owns the repositories; signed in as `browser`. */
  let owner: TestUser;
  let reviewer: TestUser;
  let browser: TestBrowser;
  let reviewing: TestBrowser;
  let stranger: TestBrowser;

  before(async () => {
    forge = await startTestForge();
    owner = await person('ada');
    reviewer = await person('grace');
    await person('mallory');
    browser = createTestBrowser(forge);
    await browser.signIn('ada', 'p w');
    reviewing = createTestBrowser(forge);
    await reviewing.signIn('grace', 'p w');
    stranger = createTestBrowser(forge);
    await stranger.signIn('mallory', 'p w');
  });
  after(() => forge.close());

  async function person(login: string): Promise<TestUser> {
    const user = await forge.user(login);
    const hash = await forge.ports.passwords.hash('p w');
    await forge.database.write((sql) =>
      sql.run('update accounts set password_hash = $1 where id = $2', hash, user.account.id),
    );
    return user;
  }

  const pageOf = (pull: OpenedPull): string => `/${pull.name}/pull/${pull.number}`;

  async function shown(pull: OpenedPull, by: TestBrowser = browser): Promise<string> {
    const response = await by.get(pageOf(pull));
    assert.equal(response.status, 200, response.text);
    return response.text;
  }

  async function act(
    pull: OpenedPull,
    name: string,
    fields: Readonly<Record<string, string>> = {},
    by: TestBrowser = browser,
  ): Promise<TestResponse> {
    return by.submit(`${pageOf(pull)}/${name}`, fields);
  }

  /** A pull that the reviewer may push to. */
  async function opened(options: Parameters<typeof openPull>[2] = {}): Promise<OpenedPull> {
    const pull = await openPull(forge, owner, options);
    const { body } = await owner.put(`/repos/${pull.name}/collaborators/grace`);
    if (body?.id !== undefined) await reviewer.patch(`/user/repository_invitations/${body.id}`);
    await forge.ports.background.idle();
    return pull;
  }

  async function done(response: Promise<TestResponse>): Promise<void> {
    const { status, text } = await response;
    assert.equal(status, 303, text);
  }

  const acts = [
    'merge',
    'apply-suggestions',
    'update-branch',
    'close',
    'reopen',
    'edit',
    'draft',
    'ready',
    'review',
  ]
    .concat('discard-review', 'line-comment', 'reply', 'resolve', 'unresolve', 'reviewers')
    .concat('delete-branch', 'comment', 'labels', 'assignees', 'milestone', 'lock', 'unlock')
    .concat('enable-auto-merge', 'disable-auto-merge', 'edit-text', 'delete-text');

  describe('refuses', () => {
    test('a form without its token, of nobody, or of another origin', async () => {
      const pull = await opened();
      const unchanged = (await owner.get(pull.path)).body;
      for (const name of acts) {
        const path = `${pageOf(pull)}/${name}`;
        assert.equal((await browser.post(path, { body: 'x' })).status, 403, name);
        const nobody = createTestBrowser(forge);
        assert.equal((await nobody.post(path, { body: 'x', form_token: 'x' })).status, 403, name);
        await browser.get(pageOf(pull));
        const [, form_token = ''] =
          /name="form_token" value="([^"]+)"/.exec(await shown(pull)) ?? [];
        const foreign = { 'sec-fetch-site': 'cross-site' };
        const response = await browser.post(path, { body: 'x', form_token }, foreign);
        assert.equal(response.status, 403, name);
      }
      assert.deepEqual((await owner.get(pull.path)).body, unchanged);
    });

    test('a token in a header, which no form sends', async () => {
      const pull = await opened();
      const response = await forge.anonymous.send('POST', `${pageOf(pull)}/close`, {
        headers: {
          authorization: `token ${owner.token}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: '',
      });
      assert.equal(response.status, 403);
    });

    test('whoever may not read the repository, as if it were not there', async () => {
      const pull = await opened({ private: true });
      assert.equal((await stranger.get(pageOf(pull))).status, 404);
      await stranger.get('/settings/tokens');
      const [, form_token = ''] =
        /name="form_token" value="([^"]+)"/.exec((await stranger.get('/settings/tokens')).text) ??
        [];
      for (const name of [...acts, 'none']) {
        const response = await stranger.post(`${pageOf(pull)}/${name}`, { form_token, body: 'x' });
        assert.equal(response.status, 404, name);
      }
    });

    test('readers what only writers may, with the page and the reason', async () => {
      const pull = await opened();
      const text = await shown(pull, stranger);
      assert.match(text, /You need write access/);
      assert.doesNotMatch(text, /\/merge"|\/labels"|\/close"|\/lock"/);
      const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(text) ?? [];
      const refused = acts.filter(
        (name) => !['comment', 'review', 'reply', 'line-comment', 'discard-review'].includes(name),
      );
      for (const name of refused) {
        const fields = { form_token, title: 'Mine', reviewers: 'grace', sha: pull.head };
        const response = await stranger.post(`${pageOf(pull)}/${name}`, fields);
        assert.ok([403, 404, 405, 422].includes(response.status), `${name} ${response.status}`);
      }
      const { body } = await owner.get(pull.path);
      assert.deepEqual(
        [body.title, body.state, body.draft, body.locked, body.requested_reviewers, body.labels],
        ['Add a file', 'open', false, false, [], []],
      );
    });

    test('what does not exist', async () => {
      const pull = await opened();
      await shown(pull);
      const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(await shown(pull)) ?? [];
      for (const path of [
        '/pull/99/close',
        '/pull/x/close',
        '/pull/1/none',
        '/pull/1/constructor',
      ]) {
        const response = await browser.post(`/${pull.name}${path}`, { form_token });
        assert.equal(response.status, 404, path);
      }
    });

    test('what the API refuses, with the form as it was filled in', async () => {
      const pull = await opened();
      await shown(pull);
      const edit = await act(pull, 'edit', {
        title: ' ',
        description: '<b>kept</b>',
        base: 'none',
      });
      assert.equal(edit.status, 422);
      assert.match(edit.text, /role="alert"/);
      assert.match(edit.text, /&lt;b&gt;kept&lt;\/b&gt;<\/textarea>/);
      await shown(pull);
      const own = await act(pull, 'review', { event: 'APPROVE', body: 'ok' });
      assert.equal(own.status, 422);
      assert.match(own.text, /Can not approve your own pull request/);
      await shown(pull);
      assert.equal((await act(pull, 'comment', { body: ' ' })).status, 422);
    });

    test('a merge that was made already, and one of a head that moved', async () => {
      const pull = await opened();
      await shown(pull);
      const moved = await act(pull, 'merge', { merge_method: 'merge', sha: pull.base });
      assert.equal(moved.status, 409);
      assert.match(moved.text, /Head branch was modified/);
      await shown(pull);
      const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(await shown(pull)) ?? [];
      await done(act(pull, 'merge', { merge_method: 'merge' }));
      const fields = { form_token, merge_method: 'merge', sha: pull.head };
      const again = await browser.post(`${pageOf(pull)}/merge`, fields);
      assert.equal(again.status, 405);
      assert.match(again.text, /Merged/);
    });
  });

  test('shows what was said and done, escaped, at the anchors that the API names', async () => {
    const hostile = '<script>alert(1)</script> "><img src=x onerror=alert(1)>';
    const pull = await opened({ body: { title: hostile, body: hostile } });
    const comment = (
      await owner.post(`/repos/${pull.name}/issues/${pull.number}/comments`, { body: hostile })
    ).body;
    const line = (
      await reviewer.post(`${pull.path}/comments`, {
        body: hostile,
        commit_id: pull.head,
        path: 'new.txt',
        line: 1,
      })
    ).body;
    const review = (
      await reviewer.post(`${pull.path}/reviews`, { event: 'REQUEST_CHANGES', body: 'Not yet' })
    ).body;
    await owner.post(`/repos/${pull.name}/issues/${pull.number}/labels`, { labels: ['<i>bug'] });
    const anonymous = await forge.anonymous.get(pageOf(pull));
    for (const text of [await shown(pull), anonymous.text]) {
      assert.doesNotMatch(text, /<script(?! type="module" src="\/assets\/)|<img src=x|<i>bug/);
      for (const { html_url: pageUrl } of [comment, line, review]) {
        const fragment = pageUrl.slice(pageUrl.indexOf('#') + 1);
        assert.ok(text.includes(`id="${fragment}"`), pageUrl);
      }
      assert.match(text, /requested changes/);
      assert.match(text, /added the label/);
    }
    assert.doesNotMatch(anonymous.text, /<form/);
  });

  test('shows the newest of many replies, below the comment that they are to', async () => {
    const { name, head } = await opened();
    const at = `/repos/${name}/pulls/1`;
    const [file] = (await owner.get(`${at}/files`)).body;
    const line = { path: file.filename, line: 1, side: 'RIGHT', commit_id: head };
    const root = await owner.post(`${at}/comments`, { body: 'the root', ...line });
    await forge.database.write((sql) =>
      sql.run(
        `with recursive counter (n) as (select 1 union all select n + 1 from counter where n < 300)
         insert into review_comments (review_id, pull_id, repository_id, author_id, reply_to_id, body, path, left_path,
           commit_sha, merge_base_sha, side, line, position, diff_hunk, created_at, updated_at)
         select review_id, pull_id, repository_id, author_id, id, 'reply ' || n || '.', path, left_path,
           commit_sha, merge_base_sha, side, line, position, diff_hunk, created_at, updated_at
         from counter, review_comments where id = $1 order by n`,
        root.body.id,
      ),
    );
    const first = await browser.get(`/${name}/pull/1`);
    assert.match(first.text, /the root[^]*reply 1\.[^]*reply 300\./);
    assert.match(first.text, /href="[^"]*\?page=2"[^>]*>Older/);
    const second = await browser.get(`/${name}/pull/1?page=2`);
    assert.match(second.text, /the root/);
    assert.doesNotMatch(second.text, /reply 300\./);
  });

  test('shows the pending review of its viewer, however many reviews are newer', async () => {
    const { name, head } = await opened();
    const at = `/repos/${name}/pulls/1`;
    const [file] = (await owner.get(`${at}/files`)).body;
    const comments = [{ body: 'a draft', path: file.filename, line: 1, side: 'RIGHT' }];
    const pending = await owner.post(`${at}/reviews`, { commit_id: head, comments });
    await forge.database.write((sql) =>
      sql.run(
        `with recursive counter (n) as (select 1 union all select n + 1 from counter where n < 300)
         insert into reviews (pull_id, repository_id, author_id, body, state, commit_sha, submitted_at, base_version)
         select pull_id, repository_id, author_id, 'later', 'COMMENTED', commit_sha, 1, base_version
         from counter, reviews where id = $1`,
        pending.body.id,
      ),
    );
    for (const page of ['1', '2']) {
      const { text } = await browser.get(`/${name}/pull/1?page=${page}`);
      assert.match(text, /a draft/, page);
      assert.match(text, /Your review has 1 comment that only you/, page);
    }
  });

  test('names every reason why it cannot be merged, with the files that conflict', async () => {
    const pull = await opened({ files: { 'README.md': 'ours\n' }, body: { draft: true } });
    await commitFiles(
      forge,
      pull.name,
      'main',
      { 'README.md': 'theirs\n' },
      { parents: [pull.base] },
    );
    const rules = {
      required_status_checks: { strict: true, contexts: ['ci/test'] },
      required_pull_request_reviews: { required_approving_review_count: 1 },
      enforce_admins: true,
      restrictions: null,
    };
    const protectedBranch = await owner.put(`/repos/${pull.name}/branches/main/protection`, rules);
    assert.equal(protectedBranch.status, 200, protectedBranch.text);
    await reviewer.post(`${pull.path}/reviews`, { event: 'REQUEST_CHANGES', body: 'Not yet' });
    // The base has moved in git alone; the rows follow with a push, here by asking for the test merge of the new base.
    await owner.patch(pull.path, { state: 'closed' });
    await owner.patch(pull.path, { state: 'open' });
    await untilChecked(forge, owner, pull.path);
    const text = await shown(pull);
    assert.match(text, /This cannot be merged now/);
    assert.match(text, /This is a draft/);
    assert.match(text, /conflict[^]*<code>README\.md<\/code>/);
    assert.match(text, /Required status check &quot;ci\/test&quot; is expected/);
    assert.match(text, /Changes were requested/);
    assert.match(text, /At least 1 approving review is required/);
    assert.match(text, /requires\s+branches to be up to date/);
  });

  test('shows statuses as they are now', async () => {
    const pull = await opened();
    assert.match(await shown(pull), /No checks have been reported/);
    const report = (context: string, state: string) =>
      owner.post(`/repos/${pull.name}/statuses/${pull.head}`, {
        state,
        context,
        description: '<b>',
        target_url: 'https://ci.example/1',
      });
    await report('ci/test', 'pending');
    assert.match(await shown(pull), /1 of 1 check pending/);
    await report('ci/test', 'failure');
    await report('ci/lint', 'success');
    const text = await shown(pull);
    assert.match(text, /1 of 2 checks failed/);
    assert.match(text, /&lt;b&gt;/);
    assert.match(text, /href="https:\/\/ci\.example\/1"/);
  });

  test('is merged by each method, with a message', async () => {
    for (const method of ['merge', 'squash', 'rebase']) {
      const pull = await opened();
      assert.match(await shown(pull), /No conflicts with/);
      const message = { commit_title: 'A title', commit_message: 'First\r\nSecond' };
      await done(act(pull, 'merge', { merge_method: method, ...message }));
      const { body } = await owner.get(pull.path);
      assert.equal(body.merged, true);
      const commit = await owner.get(`/repos/${pull.name}/git/commits/${body.merge_commit_sha}`);
      if (method !== 'rebase') assert.match(commit.body.message, /^A title[^]*First\nSecond/);
      assert.match(await shown(pull), /Merged/);
      await done(act(pull, 'delete-branch'));
      assert.equal((await owner.get(`/repos/${pull.name}/branches/topic`)).status, 404);
    }
  });

  test('does not delete a branch that has other commits by now', async () => {
    const pull = await opened();
    await shown(pull);
    await done(act(pull, 'close'));
    await shown(pull);
    const later = await commitFiles(forge, pull.name, 'topic', { 'later.txt': 'later\n' });
    const refused = await act(pull, 'delete-branch');
    assert.equal(refused.status, 409, refused.text);
    assert.match(refused.text, /topic has other commits than this pull request/);
    const { body } = await owner.get(`/repos/${pull.name}/branches/topic`);
    assert.equal(body.commit.sha, later);
  });

  test('offers no rebase that the test merge found impossible', async () => {
    const pull = await opened();
    assert.match(await shown(pull), /<option value="rebase"/);
    // The base gets the same change, so that a rebase leaves no commit.
    const content = Buffer.from('new\n').toString('base64');
    const change = { message: 'm', content, branch: 'main' };
    await owner.put(`/repos/${pull.name}/contents/new.txt`, change);
    const { body } = await untilChecked(forge, owner, pull.path);
    assert.deepEqual([body.mergeable, body.rebaseable], [true, false]);
    const text = await shown(pull);
    assert.match(text, /cannot be merged by rebasing/);
    assert.match(text, /<option value="squash"/);
    assert.doesNotMatch(text, /<option value="rebase"/);
    const settings = { allow_merge_commit: false, allow_squash_merge: false };
    await owner.patch(`/repos/${pull.name}`, settings);
    assert.doesNotMatch(await shown(pull), /name="merge_method"/);
  });

  test('is closed, reopened, made a draft and ready, edited, locked and unlocked', async () => {
    const pull = await opened();
    const state = async (): Promise<readonly unknown[]> => {
      const { body } = await owner.get(pull.path);
      return [body.state, body.draft, body.title, body.body, body.locked];
    };
    const steps: readonly [string, Record<string, string>, readonly unknown[]][] = [
      ['draft', {}, ['open', true, 'Add a file', null, false]],
      ['ready', {}, ['open', false, 'Add a file', null, false]],
      ['close', {}, ['closed', false, 'Add a file', null, false]],
      ['reopen', {}, ['open', false, 'Add a file', null, false]],
      [
        'edit',
        { title: 'New', description: 'One\r\nTwo', base: 'main' },
        ['open', false, 'New', 'One\nTwo', false],
      ],
      ['lock', { lock_reason: 'spam' }, ['open', false, 'New', 'One\nTwo', true]],
      ['unlock', {}, ['open', false, 'New', 'One\nTwo', false]],
    ];
    for (const [name, fields, expected] of steps) {
      await shown(pull);
      await done(act(pull, name, fields));
      assert.deepEqual(await state(), expected, name);
    }
  });

  test('gets comments, labels, assignees, a milestone and reviewers', async () => {
    const pull = await opened();
    await owner.post(`/repos/${pull.name}/milestones`, { title: 'First' });
    for (const [name, fields] of [
      ['comment', { body: 'Hello' }],
      ['labels', { new_label: 'good first' }],
      ['assignees', { assignees: 'ada, grace' }],
      ['milestone', { milestone: '1' }],
      ['reviewers', { reviewers: 'grace' }],
    ] as const) {
      await shown(pull);
      await done(act(pull, name, fields));
    }
    const { body } = await owner.get(pull.path);
    const logins = (people: { login: string }[]): string[] => people.map(({ login }) => login);
    assert.deepEqual(
      [body.comments, body.labels[0].name, logins(body.assignees), body.milestone.title],
      [1, 'good first', ['ada', 'grace'], 'First'],
    );
    assert.deepEqual(logins(body.requested_reviewers), ['grace']);
    await shown(pull);
    await done(act(pull, 'reviewers', { reviewers: '' }));
    assert.deepEqual((await owner.get(pull.path)).body.requested_reviewers, []);
  });

  test('is reviewed with pending comments on lines, which a number leads to', async () => {
    const pull = await opened();
    const text = await shown(pull, reviewing);
    const [, href = ''] = /<a href="([^"]*\?comment=[^"]*)">1<\/a>/.exec(text) ?? [];
    assert.match((await reviewing.get(href)).text, /Comment on line 1 of new\.txt/);
    await done(act(pull, 'line-comment', { body: 'Why?', as: 'review' }, reviewing));
    assert.match(await shown(pull, reviewing), /1 comment that only you can see yet/);
    assert.doesNotMatch(await shown(pull), /Why\?/);
    await shown(pull, reviewing);
    await done(act(pull, 'review', { event: 'REQUEST_CHANGES', body: 'See the line' }, reviewing));
    const reviews = (await owner.get(`${pull.path}/reviews`)).body;
    assert.equal(reviews[0].state, 'CHANGES_REQUESTED');
    assert.match(await shown(pull), /Why\?/);
    await done(act(pull, 'reply', { body: 'Because' }));
    assert.match(await shown(pull), /Because/);
    await done(act(pull, 'resolve'));
    assert.match(await shown(pull), /Resolved thread of grace/);
    await done(act(pull, 'unresolve'));
    assert.doesNotMatch(await shown(pull), /Resolved thread/);
    await shown(pull, reviewing);
    await done(act(pull, 'review', { event: 'APPROVE', body: '' }, reviewing));
    assert.match(await shown(pull), /✓ approved/);
  });

  test('a review that was begun can be discarded, and a line commented on at once', async () => {
    const pull = await opened();
    await reviewing.get(`${pageOf(pull)}?comment=${encodeURIComponent('new.txt:R1')}`);
    await done(act(pull, 'line-comment', { body: 'Draft', as: 'review' }, reviewing));
    await shown(pull, reviewing);
    await done(act(pull, 'discard-review', {}, reviewing));
    assert.doesNotMatch(await shown(pull, reviewing), /Draft<\/p>/);
    await reviewing.get(`${pageOf(pull)}?comment=${encodeURIComponent('new.txt:R1')}`);
    await done(act(pull, 'line-comment', { body: 'Now', as: 'comment' }, reviewing));
    assert.equal((await owner.get(`${pull.path}/comments`)).body[0].body, 'Now');
    await reviewing.get(`${pageOf(pull)}?comment=${encodeURIComponent('new.txt:R1')}`);
    const outside = await act(pull, 'line-comment', { body: 'x', line: '99' }, reviewing);
    assert.equal(outside.status, 422);
    assert.match(outside.text, /must be part of the diff/);
  });
});
