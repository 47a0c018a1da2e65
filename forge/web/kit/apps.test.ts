import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import type { Database } from '#platform/database/database.ts';

import { createOrganization } from '../../accounts/create-organization.ts';
import { createUser } from '../../accounts/create-user.ts';
import { clientWith, createTestApp, signJwt } from '../../testing/test-app.ts';
import { createTestBrowser, type TestBrowser } from '../../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestResponse } from '../../testing/test-forge.ts';

const newApp = '/settings/apps/new';
const minutes = 60_000;

describe('the manifest flow', () => {
  let forge: TestForge;
  let browser: TestBrowser;
  let login = '';
  let serial = 0;

  before(async () => {
    forge = await startTestForge();
  });
  after(() => forge.close());
  beforeEach(async () => {
    serial += 1;
    login = `person-${serial}`;
    await createUser(forge.ports, { login, password: 'p w' });
    browser = createTestBrowser(forge);
    await browser.signIn(login, 'p w');
  });

  const manifest = (fields: Record<string, unknown> = {}): string =>
    JSON.stringify({
      name: `Robot <${serial}>`,
      url: 'https://app.test/',
      redirect_url: 'https://app.test/back',
      hook_attributes: { url: 'https://app.test/hook' },
      default_permissions: { checks: 'write', contents: 'read' },
      default_events: ['push', 'check_run'],
      ...fields,
    });

  /** As the page of an application elsewhere sends it. */
  const arrive = (text: string, pageUrl = newApp): Promise<TestResponse> =>
    browser.post(pageUrl, { manifest: text }, { 'sec-fetch-site': 'cross-site' });

  const codeFor = async (text: string, pageUrl = `${newApp}?state=abc`): Promise<string> => {
    const page = await arrive(text, pageUrl);
    assert.equal(page.status, 200, page.text);
    const sent = await browser.submit(pageUrl);
    assert.equal(sent.status, 303, sent.text);
    const location = new URL(sent.headers['location'] ?? '');
    assert.equal(location.origin + location.pathname, 'https://app.test/back');
    assert.equal(location.searchParams.get('state'), 'abc');
    return location.searchParams.get('code') ?? '';
  };

  const convert = (code: string): Promise<TestResponse> =>
    forge.anonymous.post(`/app-manifests/${code}/conversions`);

  test('refuses manifests that are wrong, and says what is', async () => {
    for (const [text, problem] of [
      ['{', 'manifest is not JSON'],
      ['[]', 'manifest'],
      [manifest({ name: '' }), 'name must have'],
      [manifest({ name: '--' }), 'name must have'],
      [manifest({ name: 'x'.repeat(35) }), 'name must have'],
      [manifest({ url: 'javascript:alert(1)' }), 'url must be'],
      [manifest({ redirect_url: 'https://a:b@app.test/' }), 'redirect_url must be'],
      [manifest({ redirect_url: undefined }), 'no redirect_url'],
      [manifest({ hook_attributes: { url: 'x' } }), 'hook_attributes.url must be'],
      [manifest({ default_permissions: { contents: 'admin' } }), 'contents: admin'],
      [manifest({ default_events: ['no such;event'] }), 'default_events'],
    ] as const) {
      const response = await arrive(text);
      assert.equal(response.status, 422, text);
      assert.ok(response.text.includes(problem), `${text}: ${response.text}`);
    }
  });

  test('shows what the App asks for, and creates nothing before the user confirms it', async () => {
    const page = await arrive(manifest());
    assert.equal(page.status, 200);
    assert.match(page.text, /Robot &lt;\d+&gt;/);
    assert.match(page.text, /<code>checks<\/code>: write/);
    assert.match(
      page.headers['content-security-policy'] ?? '',
      /form-action 'self' https:\/\/app\.test;/,
    );
    const forged = await browser.post(newApp, { manifest: manifest(), form_token: 'x' });
    assert.equal(forged.status, 200, 'the confirmation again');
    const codes = await forge.database.read((sql) =>
      sql.all('select sha256 from app_manifest_codes'),
    );
    assert.deepEqual(codes, []);
  });

  test('lets a user sign in first, because the form of another site comes without cookies', async () => {
    browser.cookies.clear();
    const page = await arrive(manifest());
    assert.equal(page.status, 200);
    assert.match(page.text, /Sign in/);
    await createTestBrowser(forge).signIn(login, 'p w');
    assert.equal((await browser.get(newApp)).status, 302);
  });

  test('makes no key for an App whose name was taken meanwhile', async () => {
    const taken = await codeFor(manifest({ name: `Taken ${serial}` }));
    assert.equal((await convert(await codeFor(manifest({ name: `Taken ${serial}` })))).status, 201);
    const codes = [await codeFor(manifest()), await codeFor(manifest({ name: `Next ${serial}` }))];
    const answered: number[] = [];
    // Keys are made one after the other.
    const answers = [...codes, taken].map(async (code) => {
      answered.push((await convert(code)).status);
    });
    await Promise.all(answers);
    assert.deepEqual(answered.toSorted(), [201, 201, 422]);
    assert.notEqual(answered.at(-1), 422);
  });

  test('gives a code that becomes an App once, whose key signs for it', async () => {
    const code = await codeFor(manifest());
    const converted = await convert(code);
    assert.equal(converted.status, 201, converted.text);
    const { id, slug, pem, client_secret: secret, webhook_secret: hook, owner } = converted.body;
    assert.equal(slug, `robot-${serial}`);
    assert.equal(owner.login, login);
    assert.match(secret, /^[0-9a-f]{40}$/);
    assert.match(hook, /^[0-9a-f]{40}$/);
    const jwt = signJwt(forge, pem, { iss: id });
    const shown = await clientWith(forge, () => `Bearer ${jwt}`).get('/app');
    assert.equal(shown.status, 200, shown.text);
    assert.deepEqual(shown.body.permissions, {
      checks: 'write',
      contents: 'read',
      metadata: 'read',
    });
    assert.equal((await convert(code)).status, 404);
    const rows = await forge.database.read((sql) => sql.all('select * from apps'));
    assert.doesNotMatch(JSON.stringify(rows), /PRIVATE/);
    assert.ok(!JSON.stringify(rows).includes(secret));
  });

  test('refuses unknown codes, those of an hour ago, and names that are taken', async () => {
    assert.equal((await convert('0'.repeat(40))).status, 404);
    const late = await codeFor(manifest());
    forge.clock.advance(60 * minutes);
    assert.equal((await convert(late)).status, 404);
    browser = createTestBrowser(forge);
    await browser.signIn(login, 'p w');
    const [first, second] = [await codeFor(manifest()), await codeFor(manifest())];
    assert.equal((await convert(first)).status, 201);
    assert.equal((await convert(second)).status, 422);
    assert.equal((await convert(second)).status, 422, 'the code is not lost');
    await arrive(manifest());
    assert.equal((await browser.submit(newApp)).status, 422);
  });

  test('keeps the ten newest codes of an owner, and of a manifest what it read', async () => {
    const codes: string[] = [];
    for (let turn = 0; turn <= 10; turn += 1) {
      forge.clock.advance(1000);
      codes.push(await codeFor(manifest({ setup_url: 'x'.repeat(40_000) })));
    }
    const rows = await forge.database.read((sql) =>
      sql.all<{ manifest: string }>(
        `select c.manifest from app_manifest_codes c join accounts a on a.id = c.owner_id where a.login = $1`,
        login,
      ),
    );
    assert.equal(rows.length, 10);
    assert.ok(rows.every((row) => row.manifest.length < 2000));
    assert.equal((await convert(codes[0] ?? '')).status, 404);
    assert.equal((await convert(codes[10] ?? '')).status, 201);
  });

  test('an organization gets Apps from its owners only', async () => {
    await createOrganization(forge.ports, { login: `org-${serial}`, ownerLogin: login });
    await createUser(forge.ports, { login: `other-${serial}` });
    await createOrganization(forge.ports, {
      login: `foreign-${serial}`,
      ownerLogin: `other-${serial}`,
    });
    const at = (organization: string): string =>
      `/organizations/${organization}/settings/apps/new?state=abc`;
    assert.equal((await arrive(manifest(), at(`foreign-${serial}`))).status, 404);
    const converted = await convert(await codeFor(manifest(), at(`org-${serial}`)));
    assert.equal(converted.body.owner.login, `org-${serial}`);
    const late = await codeFor(manifest({ name: `Late ${serial}` }), at(`org-${serial}`));
    await forge.database.write((sql) =>
      sql.run(
        `delete from organization_members where user_id = (select id from accounts where login = $1)`,
        login,
      ),
    );
    assert.equal((await convert(late)).status, 404, 'its creator owns the organization no more');
  });

  test('an organization gets no App from who stops to own it meanwhile', async (t) => {
    const organization = `brief-${serial}`;
    await createOrganization(forge.ports, { login: organization, ownerLogin: login });
    const pageUrl = `/organizations/${organization}/settings/apps/new`;
    assert.equal((await arrive(manifest(), pageUrl)).status, 200);
    const database = { ...forge.database };
    t.mock.method(forge.database, 'read', async (work: Parameters<Database['read']>[0]) => {
      const found = await database.read(work);
      if (Object(found).login === organization) {
        await forge.database.write((sql) =>
          sql.run(
            `delete from organization_members where user_id = (select id from accounts where login = $1)`,
            login,
          ),
        );
      }
      return found;
    });
    assert.equal((await browser.submit(pageUrl)).status, 404);
  });

  test('an App is installed and uninstalled by the owner of the account', async () => {
    const [person] = await forge.database.read((sql) =>
      sql.all<{ id: number }>('select id from accounts where login = $1', login),
    );
    const robot = await createTestApp(forge, person?.id ?? 0, { name: `Helper ${serial}` });
    const { slug } = robot.app;
    const page = await browser.get(`/apps/${slug}`);
    assert.match(page.text, new RegExp(`href="/apps/${slug}/installations/new"`));
    const pageUrl = `/apps/${slug}/installations/new`;
    await browser.get(pageUrl);
    const refused = await browser.submit(pageUrl, { account: 'nobody', selection: 'all' });
    assert.equal(refused.status, 404);
    await browser.get(pageUrl);
    const missing = await browser.submit(pageUrl, { account: login, repositories: 'none' });
    assert.equal(missing.status, 422);
    await browser.get(pageUrl);
    const installed = await browser.submit(pageUrl, { account: login, selection: 'all' });
    assert.equal(installed.status, 303, installed.text);
    const [installation] = (await robot.client.get('/app/installations')).body;
    assert.equal(installation.account.login, login);
    const list = await browser.get('/settings/installations');
    assert.ok(list.text.includes(slug));
    const stranger = createTestBrowser(forge);
    await createUser(forge.ports, { login: `stranger-${serial}`, password: 'p w' });
    await stranger.signIn(`stranger-${serial}`, 'p w');
    const path = `/settings/installations/${installation.id}/delete`;
    const { text } = await stranger.get('/settings/tokens');
    const token = /name="form_token" value="([^"]+)"/.exec(text)?.[1] ?? assert.fail(text);
    assert.equal((await stranger.post(path, { form_token: token })).status, 404);
    assert.equal((await browser.submit(path)).status, 303);
    assert.deepEqual((await robot.client.get('/app/installations')).body, []);
  });
});
