import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { type OpenedPull, openPull, untilChecked } from '../testing/pull-fixture.ts';
import { createTestBrowser, signedInBrowser, type TestBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('auto-merge on the page of a pull', () => {
  let forge: TestForge;
  let owner: TestUser;
  /** Of the owner of the repositories, of the author of a pull from a fork, and of another user. */
  let browsers: Readonly<Record<'ada' | 'grace' | 'mallory', TestBrowser>>;
  let author: TestUser;

  before(async () => {
    forge = await startTestForge();
    const signIn = async (login: string): Promise<[TestUser, TestBrowser]> => {
      const user = await forge.user(login);
      return [user, await signedInBrowser(forge, login)];
    };
    const [ada, grace, mallory] = [
      await signIn('ada'),
      await signIn('grace'),
      await signIn('mallory'),
    ];
    owner = ada[0];
    author = grace[0];
    browsers = { ada: ada[1], grace: grace[1], mallory: mallory[1] };
  });
  after(() => forge.close());

  const pageOf = (pull: OpenedPull): string => `/${pull.name}/pull/${pull.number}`;

  /** A pull whose base requires a status that is missing. */
  async function waitingPull(settings: Record<string, boolean> = {}): Promise<OpenedPull> {
    const pull = await openPull(forge, owner);
    await gate(pull, settings);
    return pull;
  }

  async function gate(pull: OpenedPull, settings: Record<string, boolean> = {}): Promise<void> {
    await owner.patch(`/repos/${pull.name}`, { allow_auto_merge: true, ...settings });
    await owner.put(`/repos/${pull.name}/branches/main/protection`, {
      required_status_checks: { strict: false, contexts: ['ci'] },
      enforce_admins: true,
      required_pull_request_reviews: null,
      restrictions: null,
    });
    await untilChecked(forge, owner, pull.path);
  }

  const autoMergeOf = async (pull: OpenedPull): Promise<{ merge_method: string } | null> =>
    (await owner.get(pull.path)).body.auto_merge;

  test('is offered only where it can be enabled, to those who may merge', async () => {
    const pull = await waitingPull();
    assert.match((await browsers.ada.get(pageOf(pull))).text, /enable-auto-merge/);
    for (const browser of [browsers.mallory, createTestBrowser(forge)]) {
      assert.doesNotMatch((await browser.get(pageOf(pull))).text, /auto-merge/);
    }
    await owner.patch(`/repos/${pull.name}`, { allow_auto_merge: false });
    assert.doesNotMatch((await browsers.ada.get(pageOf(pull))).text, /auto-merge/);
  });

  test('is refused with the reason, which the page shows', async () => {
    const pull = await waitingPull({ allow_squash_merge: false });
    const submit = async (
      browser: TestBrowser,
      act: string,
      fields: Readonly<Record<string, string>>,
    ): Promise<readonly [number, string]> => {
      const { text } = await browser.get(pageOf(pull));
      const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(text) ?? [];
      const sent = { form_token, ...fields };
      const response = await browser.post(`${pageOf(pull)}/${act}`, sent);
      return [response.status, response.text];
    };
    for (const [fields, reason] of [
      [{ merge_method: 'none' }, /Choose how to merge/],
      [{ merge_method: 'squash' }, /squash merging is not allowed/],
      [{ merge_method: 'merge', sha: '1'.repeat(40) }, /Head branch was modified/],
    ] as const) {
      const [status, text] = await submit(browsers.ada, 'enable-auto-merge', fields);
      assert.equal(status, 422);
      assert.match(text, reason);
    }
    const merge = { merge_method: 'merge' };
    assert.equal((await submit(browsers.mallory, 'enable-auto-merge', merge))[0], 403);
    assert.equal((await submit(browsers.ada, 'disable-auto-merge', {}))[0], 422);
    assert.equal(await autoMergeOf(pull), null);
  });

  test('is enabled and disabled by those who may merge', async () => {
    const pull = await waitingPull();
    await browsers.ada.get(pageOf(pull));
    const fields = { merge_method: 'squash', commit_title: 'Title', commit_message: 'A\r\nB' };
    const enabled = await browsers.ada.submit(`${pageOf(pull)}/enable-auto-merge`, fields);
    assert.equal(enabled.status, 303, enabled.text);
    const { auto_merge: shown } = (await owner.get(pull.path)).body;
    assert.deepEqual(
      [shown.enabled_by.login, shown.merge_method, shown.commit_title, shown.commit_message],
      ['ada', 'squash', 'Title', 'A\nB'],
    );
    const { text } = await browsers.ada.get(pageOf(pull));
    assert.match(text, /<strong>ada<\/strong> has this merged\s+as one squashed commit/);
    assert.doesNotMatch(text, /enable-auto-merge/);
    assert.doesNotMatch((await browsers.mallory.get(pageOf(pull))).text, /disable-auto-merge/);
    await browsers.ada.get(pageOf(pull));
    const disabled = await browsers.ada.submit(`${pageOf(pull)}/disable-auto-merge`);
    assert.equal(disabled.status, 303, disabled.text);
    assert.equal(await autoMergeOf(pull), null);
  });

  test('is disabled by the author of the pull, who may not merge', async () => {
    const base = await openPull(forge, owner);
    await owner.put(`/repos/${base.name}/collaborators/grace`);
    const [invitation] = (await author.get('/user/repository_invitations')).body;
    await author.patch(`/user/repository_invitations/${invitation.id}`);
    await owner.patch(base.path, { state: 'closed' });
    const opened = await author.post(`/repos/${base.name}/pulls`, {
      title: 'Again',
      head: 'topic',
      base: 'main',
    });
    const path = `/repos/${base.name}/pulls/${opened.body.number}`;
    const pull = { ...base, number: opened.body.number, path };
    await owner.delete(`/repos/${pull.name}/collaborators/grace`);
    await gate(pull);
    await browsers.ada.get(pageOf(pull));
    const fields = { merge_method: 'merge' };
    const enabled = await browsers.ada.submit(`${pageOf(pull)}/enable-auto-merge`, fields);
    assert.equal(enabled.status, 303, enabled.text);
    await browsers.grace.get(pageOf(pull));
    const disabled = await browsers.grace.submit(`${pageOf(pull)}/disable-auto-merge`);
    assert.equal(disabled.status, 303, disabled.text);
    assert.equal(await autoMergeOf(pull), null);
  });
});
