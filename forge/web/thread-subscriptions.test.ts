import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { openPull } from '../testing/pull-fixture.ts';
import { signedInBrowser, type TestBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('the subscription to one conversation', () => {
  let forge: TestForge;
  let ada: TestUser;
  let grace: TestUser;
  let browser: TestBrowser;

  before(async () => {
    forge = await startTestForge();
    ada = await forge.user('ada');
    grace = await forge.user('grace');
    browser = await signedInBrowser(forge, 'grace');
  });
  after(() => forge.close());

  async function openIssue(options: { private?: boolean } = {}): Promise<string> {
    const name = await forge.repository(ada, options);
    assert.equal((await ada.post(`/repos/${name}/issues`, { title: 'Look' })).status, 201);
    return name;
  }

  const comment = async (name: string, body: string, by = ada): Promise<void> => {
    const { status, text } = await by.post(`/repos/${name}/issues/1/comments`, { body });
    assert.equal(status, 201, text);
  };
  /** How many notifications of the repository were not read; they are then. */
  async function unread(name: string): Promise<number> {
    const { body } = await grace.get(`/repos/${name}/notifications`);
    forge.clock.advance(1000);
    await grace.put(`/repos/${name}/notifications`);
    return body.length;
  }
  async function submit(name: string, act: string, kind = 'issues'): Promise<void> {
    const at = `/${name}/${kind}/1`;
    await browser.get(at);
    assert.equal((await browser.submit(`${at}/${act}`)).headers['location']?.endsWith(at), true);
  }
  async function said(name: string): Promise<string> {
    const { text } = await browser.get(`/${name}/issues/1`);
    return (
      /<h2>Notifications<\/h2>\s*<p class="soft">([^<]*)</.exec(text)?.[1] ?? assert.fail(text)
    );
  }

  test('is refused to those who may not read it, and to visitors', async () => {
    const hidden = await openIssue({ private: true });
    const open = await openIssue();
    const { text } = await browser.get(`/${open}/issues/1`);
    const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(text) ?? [];
    for (const act of ['subscribe', 'unsubscribe']) {
      assert.equal((await browser.post(`/${hidden}/issues/1/${act}`, { form_token })).status, 404);
      assert.equal((await browser.post(`/${open}/issues/9/${act}`, { form_token })).status, 404);
      assert.equal((await browser.post(`/${open}/issues/1/${act}`, {})).status, 403);
    }
    const visitor = await forge.anonymous.get(`/${open}/issues/1`, { accept: 'text/html' });
    assert.doesNotMatch(visitor.text, /Subscribe/);
  });

  test('gets what is said, without having taken part before', async () => {
    const name = await openIssue();
    await comment(name, 'before');
    assert.equal(await unread(name), 0);
    assert.match(await said(name), /if you are mentioned/);
    await submit(name, 'subscribe');
    assert.match(await said(name), /because you subscribed to it/);
    await comment(name, 'after');
    assert.equal(await unread(name), 1);
    await submit(name, 'unsubscribe');
    await comment(name, 'again');
    assert.equal(await unread(name), 0);
  });

  test('ends for who watches the repository, until the user is mentioned or comments', async () => {
    const name = await openIssue();
    await grace.put(`/repos/${name}/subscription`, { subscribed: true });
    assert.match(await said(name), /because you watch the repository/);
    await submit(name, 'unsubscribe');
    await comment(name, 'silent');
    assert.equal(await unread(name), 0);
    await comment(name, 'what do you think, @grace?');
    assert.equal(await unread(name), 1);
    assert.match(await said(name), /because you were mentioned/);
    await submit(name, 'unsubscribe');
    await comment(name, 'I am back', grace);
    await comment(name, 'welcome');
    assert.equal(await unread(name), 1);
  });

  test('of an ignored thread or repository stays silent when the user is mentioned', async () => {
    const name = await openIssue();
    await submit(name, 'subscribe');
    await comment(name, 'one');
    const [thread] = (await grace.get(`/repos/${name}/notifications`)).body;
    const at = `/notifications/threads/${thread.id}/subscription`;
    assert.equal((await grace.put(at, { ignored: true })).status, 200);
    await unread(name);
    await comment(name, '@grace?');
    assert.equal(await unread(name), 0);
    assert.match(await said(name), /You ignore this conversation/);
    // Unsubscribed is not ignored: REST says neither.
    assert.equal((await grace.delete(at)).status, 204);
    const { subscribed, ignored } = (await grace.get(at)).body;
    assert.deepEqual([subscribed, ignored], [false, false]);
    await grace.put(`/repos/${name}/subscription`, { ignored: true });
    assert.match(await said(name), /You ignore the repository/);
  });

  test('of a pull, and of an archived repository, changes as well', async () => {
    const { name } = await openPull(forge, ada);
    await ada.patch(`/repos/${name}`, { archived: true });
    await submit(name, 'subscribe', 'pull');
    const query = `query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) {
      pullRequest(number: 1) { id viewerSubscription } } }`;
    const [owner, repo] = name.split('/');
    const asked = await grace.post('/graphql', { query, variables: { owner, name: repo } });
    const { pullRequest } = asked.body.data.repository;
    assert.equal(pullRequest.viewerSubscription, 'SUBSCRIBED');
    for (const state of ['UNSUBSCRIBED', 'IGNORED', 'SUBSCRIBED']) {
      const change = `mutation ($id: ID!) { updateSubscription(input: { subscribableId: $id, state: ${state} }) {
        subscribable { viewerSubscription } } }`;
      const { body } = await grace.post('/graphql', {
        query: change,
        variables: { id: pullRequest.id },
      });
      assert.equal(body.data?.updateSubscription.subscribable.viewerSubscription, state, body);
    }
    const narrow = await forge.withScopes(grace, ['user']);
    const refused = await narrow.post('/graphql', {
      query: `mutation ($id: ID!) { updateSubscription(input: { subscribableId: $id, state: IGNORED }) {
        clientMutationId } }`,
      variables: { id: pullRequest.id },
    });
    assert.equal(refused.body.errors[0].type, 'NOT_FOUND');
  });

  test('authors and assignees are told why they get notifications', async () => {
    const name = await openIssue();
    const author = await signedInBrowser(forge, 'ada');
    assert.match((await author.get(`/${name}/issues/1`)).text, /because you are the author/);
    const { body } = await ada.put(`/repos/${name}/collaborators/grace`);
    await grace.patch(`/user/repository_invitations/${body.id}`);
    await ada.post(`/repos/${name}/issues/1/assignees`, { assignees: ['grace'] });
    assert.match(await said(name), /because you are assigned/);
  });
});

describe('the tabs of a repository', () => {
  let forge: TestForge;
  let ada: TestUser;
  let browser: TestBrowser;

  before(async () => {
    forge = await startTestForge();
    ada = await forge.user('ada');
    browser = await signedInBrowser(forge, 'ada');
  });
  after(() => forge.close());

  const tabsOf = async (path: string): Promise<string> => {
    const { text } = await browser.get(path);
    const [, tabs = assert.fail(text)] = /<nav class="tabs"[^>]*>([^]*?)<\/nav>/.exec(text) ?? [];
    return tabs.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
  };

  test('count what is open, issues and pulls apart', async () => {
    const { name } = await openPull(forge, ada);
    assert.match(await tabsOf(`/${name}`), /Code Issues Pull requests 1 Commits/);
    for (const title of ['one', 'two']) await ada.post(`/repos/${name}/issues`, { title });
    assert.match(await tabsOf(`/${name}/labels`), /Issues 2 Pull requests 1 Commits/);
    await ada.patch(`/repos/${name}/issues/2`, { state: 'closed' });
    await ada.patch(`/repos/${name}/pulls/1`, { state: 'closed' });
    assert.match(await tabsOf(`/${name}`), /Issues 1 Pull requests Commits/);
  });

  test('mark the present one', async () => {
    const name = await forge.repository(ada);
    for (const [path, label] of [
      ['tags', 'Tags'],
      ['settings', 'Settings'],
      ['settings/hooks', 'Settings'],
      ['milestones', 'Issues'],
    ] as const) {
      const { text } = await browser.get(`/${name}/${path}`);
      const [tabs = ''] = /<nav class="tabs"[^]*?<\/nav>/.exec(text) ?? [];
      assert.equal(/aria-current="page"\s*>\s*(\w+)/.exec(tabs)?.[1], label, path);
    }
  });
});
