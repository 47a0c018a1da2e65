import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles, repositoryId } from '../testing/commits.ts';
import { type OpenedPull, openPull } from '../testing/pull-fixture.ts';
import { signedInBrowser, type TestBrowser } from '../testing/test-browser.ts';
import {
  startTestForge,
  type TestForge,
  type TestResponse,
  type TestUser,
} from '../testing/test-forge.ts';

const files = { 'list.txt': 'one\ntwo\nthree\nfour\n' };
const block = (...lines: string[]): string => ['```suggestion', ...lines, '```'].join('\n');

describe('suggestions in the comments of a review', () => {
  let forge: TestForge;
  let owner: TestUser;
  let reviewer: TestUser;
  let own: TestBrowser;
  let reading: TestBrowser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('ada');
    reviewer = await forge.user('grace');
    own = await signedInBrowser(forge, 'ada');
    reading = await signedInBrowser(forge, 'grace');
  });
  after(() => forge.close());

  const pageOf = ({ name, number }: OpenedPull): string => `/${name}/pull/${number}`;

  const shown = async (pull: OpenedPull, by: TestBrowser = own): Promise<string> =>
    (await by.get(pageOf(pull))).text;

  /** Comments on lines of `list.txt`; the id of the comment. */
  async function comment(
    pull: OpenedPull,
    body: string,
    at: Record<string, unknown>,
  ): Promise<number> {
    const where = { commit_id: pull.head, path: 'list.txt', side: 'RIGHT', ...at };
    const response = await reviewer.post(`${pull.path}/comments`, { body, ...where });
    assert.equal(response.status, 201, response.text);
    return response.body.id;
  }

  async function apply(
    pull: OpenedPull,
    fields: Readonly<Record<string, string | string[]>>,
    by: TestBrowser = own,
  ): Promise<TestResponse> {
    const text = await shown(pull, by);
    const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(text) ?? [];
    const body = new URLSearchParams({ form_token });
    for (const [name, values] of Object.entries(fields)) {
      for (const value of [values].flat()) {
        const isSuggestion = name === 'only' || name === 'suggestion';
        body.append(name, isSuggestion ? seen(text, value) : value);
      }
    }
    return by.post(`${pageOf(pull)}/apply-suggestions`, body);
  }

  /** A suggestion as a page names it, or with a digest that no suggestion has. */
  const seen = (page: string, suggestion: string): string =>
    new RegExp(`name="only"\\s+value="(${suggestion}:[0-9a-f]{64})"`).exec(page)?.[1] ??
    `${suggestion}:${'0'.repeat(64)}`;

  async function refused(response: Promise<TestResponse>, status: number, why: RegExp) {
    const { status: actual, text } = await response;
    assert.equal(actual, status, text);
    assert.match(text, why);
  }

  const headOf = async (pull: OpenedPull): Promise<TestResponse['body']> =>
    (await owner.get(`/repos/${pull.name}/commits/topic`)).body;

  const contentOf = async (pull: OpenedPull): Promise<string> =>
    Buffer.from(
      (await owner.get(`/repos/${pull.name}/contents/list.txt?ref=topic`)).body.content,
      'base64',
    ).toString();

  test('are refused to readers, when they are gone, and when nothing is chosen', async () => {
    const pull = await openPull(forge, owner, { files });
    const id = await comment(pull, block('zwei'), { line: 2 });
    assert.doesNotMatch(await shown(pull, reading), /Commit the chosen suggestions/);
    await refused(apply(pull, { only: `${id}:0` }, reading), 403, /push access to the head/);
    await refused(apply(pull, { only: `${id}:1` }), 422, /not there any more/);
    await refused(apply(pull, { only: `${id + 1000}:0` }), 422, /not there any more/);
    await refused(apply(pull, { only: 'x' }), 403, /may not do this/);
    await refused(apply(pull, {}), 422, /Choose a suggestion/);
    const other = await openPull(forge, owner, { files });
    await refused(apply(other, { only: `${id}:0` }), 422, /not there any more/);
    assert.equal((await headOf(pull)).sha, pull.head);
  });

  test('are refused once their author has edited what was shown', async () => {
    const pull = await openPull(forge, owner, { files });
    const id = await comment(pull, block('zwei'), { line: 2 });
    const only = seen(await shown(pull), `${id}:0`);
    const path = `/repos/${pull.name}/pulls/comments/${id}`;
    assert.equal((await reviewer.patch(path, { body: block('rm -rf') })).status, 200);
    const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(await shown(pull)) ?? [];
    const form = new URLSearchParams({ form_token, only });
    await refused(own.post(`${pageOf(pull)}/apply-suggestions`, form), 422, /was edited meanwhile/);
    assert.equal((await headOf(pull)).sha, pull.head);
  });

  test('are refused on lines of the old version, on a closed pull and where nothing would change', async () => {
    const pull = await openPull(forge, owner, { files: { ...files, 'README.md': 'one\nthree\n' } });
    const left = await comment(pull, block('x'), { path: 'README.md', side: 'LEFT', line: 2 });
    await refused(apply(pull, { only: `${left}:0` }), 422, /lines of the new version/);
    const same = await comment(pull, block('two'), { line: 2 });
    await refused(apply(pull, { only: `${same}:0` }), 422, /changes nothing in list\.txt/);
    const id = await comment(pull, block('zwei'), { line: 2 });
    await owner.patch(pull.path, { state: 'closed' });
    await refused(apply(pull, { only: `${id}:0` }), 422, /Pull request is closed/);
  });

  test('are refused once their lines were changed, and not when others were', async () => {
    const pull = await openPull(forge, owner, { files });
    const first = await comment(pull, block('eins'), { line: 1 });
    const range = await comment(pull, block('x'), { start_line: 2, line: 4 });
    const text = 'zero\none\ntwo\nDREI\nfour\n';
    await commitFiles(forge, pull.name, 'topic', { 'list.txt': text });
    await refused(apply(pull, { only: `${range}:0` }), 422, /outdated.*list\.txt/);
    assert.equal((await apply(pull, { only: `${first}:0` })).status, 303);
    assert.equal(await contentOf(pull), 'zero\neins\ntwo\nDREI\nfour\n');
    await refused(apply(pull, { only: `${first}:0` }), 422, /outdated.*list\.txt/);
  });

  test('are refused in a file that is too large to hold in memory', async () => {
    const name = await forge.repository(owner);
    const rest = `${'x'.repeat(1023)}\n`.repeat(10 * 1024);
    const base = await commitFiles(forge, name, 'main', { 'list.txt': `one\n${rest}` });
    const large = { 'list.txt': `two\n${rest}` };
    const head = await commitFiles(forge, name, 'topic', large, { parents: [base] });
    const response = await owner.post(`/repos/${name}/pulls`, {
      title: 'Large',
      head: 'topic',
      base: 'main',
    });
    const { number } = response.body;
    const path = `/repos/${name}/pulls/${number}`;
    const pull = { name, number, base, head, path, response };
    const id = await comment(pull, block('zwei'), { line: 1 });
    await refused(apply(pull, { only: `${id}:0` }), 422, /too large for a suggestion/);
  });

  test('are refused on a protected head branch, with the reason', async () => {
    const pull = await openPull(forge, owner, { files });
    const id = await comment(pull, block('zwei'), { line: 2 });
    await owner.put(`/repos/${pull.name}/branches/topic/protection`, {
      required_status_checks: null,
      enforce_admins: true,
      required_pull_request_reviews: { required_approving_review_count: 1 },
      restrictions: null,
    });
    await refused(apply(pull, { only: `${id}:0` }), 422, /review/);
  });

  test('are refused while their review is pending', async () => {
    const pull = await openPull(forge, owner, { files });
    const draft = { path: 'list.txt', line: 2, side: 'RIGHT', body: block('zwei') };
    await owner.post(`${pull.path}/reviews`, { comments: [draft] });
    const text = await shown(pull);
    assert.match(text, /Suggested change/);
    const id = /id="discussion_r(\d+)"/.exec(text)?.[1];
    await refused(apply(pull, { only: `${id}:0` }), 422, /submit the review/);
    // To others, it is as if there was none.
    await forge.user('linus');
    await owner.put(`/repos/${pull.name}/collaborators/linus`);
    await refused(apply(pull, { only: `${id}:0` }, reading), 403, /push access/);
  });

  test('show what they replace, escaped', async () => {
    const pull = await openPull(forge, owner, { files });
    await comment(pull, `Better:\n\n${block('<b>zwei</b>')}\n\nand so on`, {
      start_line: 1,
      line: 2,
    });
    const text = await shown(pull);
    const [view = ''] = /Suggested change 1 of lines 1 to 2[\s\S]*?<\/table>/.exec(text) ?? [];
    assert.match(view, /-one[\s\S]*-two[\s\S]*\+&lt;b>zwei&lt;\/b>|\+&lt;b&gt;zwei&lt;\/b&gt;/);
    assert.match(text, /<p>Better:<\/p>[\s\S]*<p>and so on<\/p>/);
  });

  test('one becomes a commit with its author as co-author, and its thread is resolved', async () => {
    const pull = await openPull(forge, owner, { files });
    const id = await comment(pull, block('zwei', 'zweieinhalb'), { line: 2 });
    assert.equal((await apply(pull, { only: `${id}:0` })).status, 303);
    assert.equal(await contentOf(pull), 'one\nzwei\nzweieinhalb\nthree\nfour\n');
    const head = await headOf(pull);
    assert.equal(head.author.login, 'ada');
    assert.match(
      head.commit.message,
      /^Update list\.txt\n\nCo-authored-by: The grace <grace@example\.test>$/,
    );
    assert.deepEqual(
      head.parents.map(({ sha }: { sha: string }) => sha),
      [pull.head],
    );
    assert.match(await shown(pull), /Resolved thread of grace/);
  });

  test('several become one commit, whichever lines they are on', async () => {
    const pull = await openPull(forge, owner, { files });
    const first = await comment(pull, `${block('eins', 'a')}\n${block('EINS')}`, { line: 1 });
    const last = await comment(pull, block(), { start_line: 3, line: 4 });
    const fields = {
      suggestion: [`${first}:0`, `${last}:0`],
      commit_title: 'Count in German',
      commit_message: 'As agreed.',
    };
    await refused(
      apply(pull, { suggestion: [`${first}:0`, `${first}:1`] }),
      422,
      /change the same lines of list\.txt/,
    );
    assert.equal((await apply(pull, fields)).status, 303);
    assert.equal(await contentOf(pull), 'eins\na\ntwo\n');
    const { commit } = await headOf(pull);
    assert.match(
      commit.message,
      /^Count in German\n\nAs agreed\.\n\nCo-authored-by: The grace <grace@example\.test>$/,
    );
    const commits = (await owner.get(`${pull.path}/commits`)).body;
    assert.equal(commits.length, 2);
  });

  test('reach the fork that a pull is from, where its maintainers may push', async () => {
    const base = await forge.repository(owner, { init: true });
    const fork = (await reviewer.post(`/repos/${base}/forks`)).body.full_name;
    const head = await commitFiles(forge, fork, 'topic', files, {
      parents: [(await owner.get(`/repos/${base}/commits/main`)).body.sha],
    });
    const opened = await reviewer.post(`/repos/${base}/pulls`, {
      title: 'From a fork',
      head: 'grace:topic',
      maintainer_can_modify: true,
      base: (await owner.get(`/repos/${base}`)).body.default_branch,
    });
    const { number } = opened.body;
    const path = `/repos/${base}/pulls/${number}`;
    const pull = { name: base, number, head, path, base: '', response: opened };
    const id = await comment(pull, block('zwei'), { line: 2 });
    const applied = await apply(pull, { only: `${id}:0` });
    assert.equal(applied.status, 303, applied.text);
    const { sha } = (await owner.get(path)).body.head;
    const git = forge.git.repository(await repositoryId(forge, fork));
    assert.notEqual(sha, head);
    assert.equal((await git.readCommit(sha))?.author.name, 'The ada');
  });

  test('a line can be suggested by a form that begins with it, on several lines', async () => {
    const pull = await openPull(forge, owner, { files });
    const line = `${pageOf(pull)}?comment=list.txt%3AR2`;
    assert.match((await reading.get(line)).text, /Suggest a change of this line/);
    const { text } = await reading.get(`${line}&suggest=1`);
    assert.match(text, /```suggestion\ntwo\n```<\/textarea>/);
    const body = block('x');
    const fields = { body, start_line: '1', as: 'comment' };
    const sent = await reading.submit(`${pageOf(pull)}/line-comment`, fields);
    assert.equal(sent.status, 303, sent.text);
    const [made] = (await owner.get(`${pull.path}/comments`)).body;
    assert.deepEqual([made.start_line, made.line], [1, 2]);
  });

  test('of several threads, a refused reply shows the reason and its text where it was written', async () => {
    const pull = await openPull(forge, owner, { files });
    await comment(pull, 'First', { line: 1 });
    const second = await comment(pull, 'Second', { line: 2 });
    const text = await shown(pull);
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    assert.deepEqual(ids, [...new Set(ids)]);
    const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(text) ?? [];
    const fields = { form_token, thread: String(second), body: 'x'.repeat(70_000) };
    const response = await own.post(`${pageOf(pull)}/reply`, fields);
    assert.equal(response.status, 422);
    const [, rest = ''] = response.text.split(`id="discussion_r${second}"`);
    const [, afterReason = ''] = rest.split('role="alert"');
    assert.ok(afterReason.includes(`${fields.body}</textarea>`));
  });
});
