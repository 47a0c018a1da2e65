import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { startReceiver } from '../testing/receiver-fixture.ts';
import { createTestBrowser, signedInBrowser, type TestBrowser } from '../testing/test-browser.ts';
import {
  startTestForge,
  type TestForge,
  type TestResponse,
  type TestUser,
} from '../testing/test-forge.ts';
import { createDeliverer, type Deliverer } from '../webhooks/delivery-worker.ts';

/** Each form of a repository's own pages, by the path below it. */
const forms: readonly string[] = ['settings/general', 'settings/visibility', 'settings/archive']
  .concat('settings/transfer', 'settings/delete', 'settings/branch-protection/save')
  .concat('settings/branch-protection/remove', 'settings/hooks/create', 'settings/hooks/1/update')
  .concat('settings/keys/create', 'settings/keys/delete')
  .concat('settings/hooks/1/ping', 'settings/hooks/1/delete', 'settings/hooks/1/redeliver')
  .concat('branches/create', 'branches/delete', 'labels/create', 'labels/update', 'labels/delete')
  .concat('milestones/create', 'milestones/update', 'milestones/close', 'milestones/delete');

const pages: readonly string[] = ['settings', 'settings/branches', 'settings/branches/main'].concat(
  'settings/keys',
  'settings/hooks',
  'settings/hooks/1',
  'settings/hooks/1/deliveries/1',
);

describe('the pages of a repository about itself', () => {
  let forge: TestForge;
  let owner: TestUser;
  let browser: TestBrowser;
  let stranger: TestBrowser;

  before(async () => {
    forge = await startTestForge({ webhookPrivateTargets: true });
    owner = await forge.user('ada');
    await forge.user('mallory');
    browser = await signedInBrowser(forge, 'ada');
    stranger = await signedInBrowser(forge, 'mallory');
  });
  after(() => forge.close());

  async function repository(options: { private?: boolean } = {}): Promise<string> {
    const name = await forge.repository(owner, options);
    await commitFiles(forge, name, 'main', { 'a.txt': 'a\n' });
    return name;
  }

  const tokenOf = async (of: TestBrowser): Promise<string> => {
    const page = await of.get('/settings/tokens');
    return /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  };

  /** Opens a page, and sends one of its forms. */
  async function send(
    page: string,
    action: string,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<TestResponse> {
    const shown = await browser.get(page);
    assert.equal(shown.status, 200, shown.text);
    return browser.submit(action, fields);
  }

  async function done(response: Promise<TestResponse>): Promise<void> {
    const { status, text } = await response;
    assert.equal(status, 303, text);
  }

  test('refuse forms without their token, of nobody and of other origins', async () => {
    const name = await repository();
    const form_token = await tokenOf(browser);
    for (const form of forms.concat('forks/create')) {
      const path = `/${name}/${form}`;
      const fields = { confirm: name, branch: 'main', name: 'x', title: 'x' };
      assert.equal((await browser.post(path, fields)).status, 403, path);
      const nobody = createTestBrowser(forge);
      assert.equal((await nobody.post(path, { ...fields, form_token })).status, 403, path);
      const foreign = { 'sec-fetch-site': 'cross-site' };
      const response = await browser.post(path, { ...fields, form_token }, foreign);
      assert.equal(response.status, 403, path);
    }
    const { body } = await owner.get(`/repos/${name}`);
    assert.deepEqual([body.private, body.archived, body.forks], [false, false, 0]);
    assert.equal((await owner.get(`/repos/${name}/branches`)).body.length, 1);
    assert.deepEqual((await owner.get(`/repos/${name}/hooks`)).body, []);
  });

  test('refuse readers, and tell strangers nothing of a private repository', async () => {
    const form_token = await tokenOf(stranger);
    for (const isPrivate of [false, true]) {
      const name = await repository({ private: isPrivate });
      await owner.post(`/repos/${name}/hooks`, { config: { url: 'http://127.0.0.1:1/' } });
      for (const form of forms) {
        const fields = { form_token, confirm: name, branch: 'main', name: 'x', title: 'x' };
        const { status } = await stranger.post(`/${name}/${form}`, fields);
        assert.ok(isPrivate ? status === 404 : [403, 404].includes(status), `${form} ${status}`);
      }
      for (const page of pages) {
        assert.equal((await stranger.get(`/${name}/${page}`)).status, 404, page);
        const visitor = await forge.anonymous.get(`/${name}/${page}`);
        assert.equal(visitor.status, isPrivate ? 404 : 302, page);
      }
      assert.equal((await owner.get(`/repos/${name}`)).body.archived, false);
    }
    assert.equal((await stranger.post('/ada/none/settings/delete', { form_token })).status, 404);
  });

  test('a repository is created, and the form comes back with what was refused', async () => {
    const visitor = await forge.anonymous.get('/-/new');
    assert.match(visitor.headers['location'] ?? '', /^\/login/);
    assert.equal((await browser.post('/-/new', { name: 'x' })).status, 403);
    const refused = await send('/-/new', '/-/new', { name: '', description: '<b>kept' });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /value="&lt;b&gt;kept"/);
    const fields = { name: 'made', description: 'x', visibility: 'private', auto_init: '1' };
    const created = await send('/-/new', '/-/new', fields);
    assert.equal(created.headers['location'], 'http://forge.test/ada/made', created.text);
    const { body } = await owner.get('/repos/ada/made');
    assert.deepEqual([body.private, body.description], [true, 'x']);
    const twice = await send('/-/new', '/-/new', fields);
    assert.equal(twice.status, 422);
    await forge.organization(owner, 'acme');
    const chosen = await send('/-/new', '/-/new', { name: 'site', owner: 'acme' });
    assert.equal(chosen.headers['location'], 'http://forge.test/acme/site');
    const foreign = await send('/-/new', '/-/new', { name: 'site', owner: 'mallory' });
    assert.equal(foreign.status, 403);
  });

  test('name, description, topics, branch and merge methods are changed', async () => {
    const name = await repository();
    const page = `/${name}/settings`;
    const refused = await send(page, `${page}/general`, {
      name: 'renamed',
      default_branch: 'none',
      allow_merge_commit: '1',
    });
    assert.equal(refused.status, 422);
    await done(
      send(page, `${page}/general`, {
        name: 'renamed',
        description: '<script>',
        homepage: '',
        topics: 'git, forge',
        default_branch: 'main',
        allow_squash_merge: '1',
      }),
    );
    const { body } = await owner.get('/repos/ada/renamed');
    assert.deepEqual(
      [body.description, body.topics, body.has_issues, body.allow_merge_commit],
      ['<script>', ['git', 'forge'], false, false],
    );
    assert.equal(body.allow_squash_merge, true);
    assert.doesNotMatch(
      (await browser.get('/ada/renamed/settings')).text,
      /<script(?! type="module" src="\/assets\/)/,
    );
  });

  test('visibility and archiving change back and forth; an archived one offers no changes', async () => {
    const name = await repository();
    const page = `/${name}/settings`;
    await done(send(page, `${page}/visibility`));
    assert.equal((await owner.get(`/repos/${name}`)).body.private, true);
    await done(send(page, `${page}/archive`));
    assert.equal((await owner.get(`/repos/${name}`)).body.archived, true);
    assert.doesNotMatch((await browser.get(page)).text, /settings\/general/);
    await done(send(page, `${page}/archive`));
    assert.equal((await owner.get(`/repos/${name}`)).body.archived, false);
  });

  test('transfer and deletion need the name typed', async () => {
    const name = await repository();
    const page = `/${name}/settings`;
    await forge.organization(owner, 'elsewhere');
    for (const confirm of ['', 'ada', name.toUpperCase(), `${name}x`]) {
      for (const act of ['transfer', 'delete']) {
        const refused = await send(page, `${page}/${act}`, { confirm, new_owner: 'elsewhere' });
        assert.equal(refused.status, 422, `${act} ${confirm}`);
        assert.match(refused.text, /Nothing was changed/);
      }
    }
    assert.equal((await owner.get(`/repos/${name}`)).status, 200);
    const moved = name.replace('ada/', 'elsewhere/');
    const fields = { confirm: name, new_owner: 'elsewhere' };
    await done(send(page, `${page}/transfer`, fields));
    const gone = `/${moved}/settings`;
    await done(send(gone, `${gone}/delete`, { confirm: moved }));
    assert.equal((await owner.get(`/repos/${moved}`)).status, 404);
  });

  test('branches are created, compared and deleted, and tags listed', async () => {
    const name = await repository();
    const page = `/${name}/branches`;
    for (const from of ['none', '--help']) {
      const refused = await send(page, `${page}/create`, { name: 'topic', from });
      assert.equal(refused.status, 422, from);
    }
    await done(send(page, `${page}/create`, { name: 'feature/<b>', from: 'main' }));
    const { text } = await browser.get(page);
    assert.match(text, /feature\/&lt;b&gt;/);
    assert.match(text, /compare\/main\.\.\.feature/);
    await done(send(page, `${page}/delete`));
    assert.equal((await owner.get(`/repos/${name}/branches`)).body.length, 1);
    const { sha } = (await owner.get(`/repos/${name}/commits/main`)).body;
    assert.match((await browser.get(`/${name}/tags`)).text, /no tag yet/);
    await owner.post(`/repos/${name}/git/refs`, { ref: 'refs/tags/v1', sha });
    assert.match((await browser.get(`/${name}/tags`)).text, />v1<\/a>/);
  });

  test('the rules of a branch are set, shown and removed', async () => {
    const name = await repository();
    const chosen = await browser.get(`/${name}/settings/branches?branch=main`);
    const page = chosen.headers['location'] ?? '';
    assert.equal(page, `/${name}/settings/branches/main`);
    const action = `/${name}/settings/branch-protection`;
    const absent = await send(`/${name}/settings/branches/none`, `${action}/save`);
    assert.equal(absent.status, 403);
    const refused = await send(page, `${action}/save`, { reviews: '1', approvals: '99' });
    assert.equal(refused.status, 422);
    await done(
      send(page, `${action}/save`, {
        reviews: '1',
        approvals: '2',
        stale: '1',
        checks: '1',
        contexts: 'ci\r\n lint \r\n',
        strict: '1',
        admins: '1',
      }),
    );
    const { body } = await owner.get(`/repos/${name}/branches/main/protection`);
    assert.equal(body.required_pull_request_reviews.required_approving_review_count, 2);
    assert.deepEqual(body.required_status_checks.contexts, ['ci', 'lint']);
    assert.equal(body.enforce_admins.enabled, true);
    const { text } = await browser.get(page);
    assert.match(text, /name="reviews" value="1" checked/);
    assert.match(text, />\s*ci\nlint<\/textarea>/);
    assert.match((await browser.get(`/${name}/branches`)).text, /protected/);
    await done(send(page, `${action}/remove`));
    assert.equal((await owner.get(`/repos/${name}/branches/main/protection`)).status, 404);
  });

  test('who may push is set for branches of organizations', async () => {
    await forge.organization(owner, 'crowd');
    assert.equal((await owner.post('/orgs/crowd/repos', { name: 'site' })).status, 201);
    await commitFiles(forge, 'crowd/site', 'main', { 'a.txt': 'a\n' });
    const page = '/crowd/site/settings/branches/main';
    const action = '/crowd/site/settings/branch-protection/save';
    const refused = await send(page, action, { restrict: '1', users: 'nobody-here' });
    assert.equal(refused.status, 422);
    // What was checked stays checked.
    assert.match(refused.text, /name="restrict" value="1" checked/);
    await done(send(page, action, { restrict: '1', users: 'ada' }));
    assert.match((await browser.get(page)).text, /name="users"\s+value="ada"/);
  });

  test('a webhook is created, pinged, delivered again, changed and deleted; its secret is never shown', async () => {
    const receiver = await startReceiver();
    let deliverer: Deliverer | undefined;
    try {
      const name = await repository();
      const hooks = `/${name}/settings/hooks`;
      const refused = await send(hooks, `${hooks}/create`, { url: 'nonsense', events: 'push' });
      assert.equal(refused.status, 422);
      const made = await send(hooks, `${hooks}/create`, {
        url: receiver.url,
        secret: 'a-secret-of-the-hook',
        events: 'push',
        active: '1',
      });
      assert.equal(made.status, 303, made.text);
      const page = made.headers['location'] ?? '';
      deliverer = createDeliverer(forge.ports, fail);
      await done(send(page, `${page}/ping`));
      await deliverer.deliverDue();
      const shown = await browser.get(page);
      assert.match(shown.text, /✓ 200/);
      assert.doesNotMatch(shown.text, /a-secret-of-the-hook/);
      const [delivery = ''] = new RegExp(`${page}/deliveries/\\d+`).exec(shown.text) ?? [];
      const details = await browser.get(delivery);
      assert.match(details.text, /<pre tabindex="0">thanks<\/pre>/);
      assert.doesNotMatch(details.text, /a-secret-of-the-hook/);
      const count = receiver.received.length;
      await done(send(delivery, `${page}/redeliver`));
      await deliverer.deliverDue();
      assert.equal(receiver.received.length, count + 1);
      await done(send(page, `${page}/update`, { url: receiver.url, events: '*' }));
      const [hook] = (await owner.get(`/repos/${name}/hooks`)).body;
      assert.deepEqual([hook.active, hook.events], [false, ['*']]);
      // An empty field keeps the secret.
      assert.equal(hook.config.secret, '********');
      await done(send(page, `${page}/delete`));
      assert.equal((await browser.get(page)).status, 404);
      const other = await repository();
      assert.equal((await browser.get(delivery.replace(name, other))).status, 404);
    } finally {
      await deliverer?.close();
      await receiver.close();
    }
  });

  test('labels and milestones are created, changed and deleted', async () => {
    const name = await repository();
    const labels = `/${name}/labels`;
    const refused = await send(labels, `${labels}/create`, { name: 'x', color: 'red' });
    assert.equal(refused.status, 422);
    await done(send(labels, `${labels}/create`, { name: '<i>', color: '#00FF00' }));
    assert.match((await browser.get(labels)).text, /&lt;i&gt;/);
    await done(send(labels, `${labels}/update`, { name: 'kind/bug', color: '#ff0000' }));
    assert.equal((await owner.get(`/repos/${name}/labels`)).body[0].name, 'kind/bug');
    await done(send(labels, `${labels}/delete`));
    assert.deepEqual((await owner.get(`/repos/${name}/labels`)).body, []);

    const milestones = `/${name}/milestones`;
    const blank = await send(milestones, `${milestones}/create`, { title: ' ', due: '2030-01-02' });
    assert.equal(blank.status, 422);
    assert.match(blank.text, /value="2030-01-02"/);
    await done(send(milestones, `${milestones}/create`, { title: 'Launch', due: '2030-01-02' }));
    await done(send(milestones, `${milestones}/update`, { title: 'Later', description: '*x*' }));
    await done(send(milestones, `${milestones}/close`));
    const [milestone] = (await owner.get(`/repos/${name}/milestones?state=all`)).body;
    assert.deepEqual(
      [milestone.title, milestone.state, milestone.due_on],
      ['Later', 'closed', null],
    );
    await done(send(milestones, `${milestones}/reopen`));
    await done(send(milestones, `${milestones}/delete`));
    assert.deepEqual((await owner.get(`/repos/${name}/milestones?state=all`)).body, []);
    for (const path of [`${labels}/none`, `${milestones}/none`]) {
      const form_token = await tokenOf(browser);
      assert.equal((await browser.post(path, { form_token })).status, 404, path);
    }
  });

  test('a fork is made by whoever can read it', async () => {
    const name = await repository();
    const forks = `/${name}/forks`;
    assert.match((await forge.anonymous.get(forks)).text, /Sign in to fork it/);
    await stranger.get(forks);
    const made = await stranger.submit(`${forks}/create`, { organization: '' });
    const fork = name.replace('ada/', 'mallory/');
    assert.equal(made.headers['location'], `http://forge.test/${fork}`, made.text);
    await forge.ports.background.idle();
    assert.match((await browser.get(forks)).text, new RegExp(fork));
    await stranger.get(forks);
    const refused = await stranger.submit(`${forks}/create`, { organization: 'nobody-here' });
    assert.ok(refused.status >= 400 && refused.status < 500);
    assert.match(refused.text, /class="problem"/);
  });
});

function fail(error: unknown): void {
  throw error;
}
