import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { createTestApp } from '../testing/test-app.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { signedInBrowser, type TestBrowser } from '../testing/test-browser.ts';

describe('the rules of a branch on their page', () => {
  let forge: TestForge;
  let owner: TestUser;
  let browser: TestBrowser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('ada');
    browser = await signedInBrowser(forge, 'ada');
  });
  after(() => forge.close());

  test('which App must report a check stays when another rule is saved', async () => {
    const name = await forge.repository(owner);
    await commitFiles(forge, name, 'main', { 'a.txt': 'a\n' });
    const robot = await createTestApp(forge, owner.account.id, {
      permissions: { checks: 'write' },
    });
    const other = await createTestApp(forge, owner.account.id, { name: 'Other' });
    await robot.install('ada');
    await other.install('ada');
    const protection = `/repos/${name}/branches/main/protection`;
    const set = await owner.put(protection, {
      required_status_checks: {
        strict: false,
        contexts: ['old'],
        checks: [
          { context: 'ci', app_id: robot.app.id },
          { context: 'ci', app_id: other.app.id },
          { context: 'gone', app_id: robot.app.id },
        ],
      },
      enforce_admins: false,
      required_pull_request_reviews: null,
      restrictions: null,
    });
    assert.equal(set.status, 200, set.text);
    await browser.get(`/${name}/settings/branches/main`);
    const action = `/${name}/settings/branch-protection/save`;
    const saved = await browser.submit(action, {
      admins: '1',
      checks: '1',
      contexts: 'ci\nold\nnew',
    });
    assert.equal(saved.status, 303, saved.text);
    const { body } = await owner.get(protection);
    assert.equal(body.enforce_admins.enabled, true);
    assert.deepEqual(body.required_status_checks.checks, [
      { context: 'ci', app_id: robot.app.id },
      { context: 'ci', app_id: other.app.id },
      { context: 'old', app_id: null },
      { context: 'new', app_id: null },
    ]);
  });

  test('a check of an App that is not installed any more is named, and nothing is lost', async () => {
    const name = await forge.repository(owner);
    await commitFiles(forge, name, 'main', { 'a.txt': 'a\n' });
    const robot = await createTestApp(forge, owner.account.id, {
      name: 'Leaving',
      permissions: { checks: 'write' },
    });
    const installation = await robot.install('ada');
    const protection = `/repos/${name}/branches/main/protection`;
    await owner.put(protection, {
      required_status_checks: {
        strict: false,
        checks: [{ context: 'ci', app_id: robot.app.id }],
      },
      enforce_admins: false,
      required_pull_request_reviews: null,
      restrictions: null,
    });
    await browser.get(`/${name}/settings/branches/main`);
    const action = `/${name}/settings/branch-protection/save`;
    await robot.client.delete(`/app/installations/${installation.id}`);
    const fields = { admins: '1', checks: '1', contexts: 'ci' };
    const refused = await browser.submit(action, fields);
    assert.equal(refused.status, 422, refused.text);
    assert.match(refused.text, /class="problem"[^>]*>[^<]*ci[^<]*not installed[^<]*remove/i);
    const { body } = await owner.get(protection);
    assert.equal(body.enforce_admins.enabled, false);
    assert.deepEqual(body.required_status_checks.checks, [{ context: 'ci', app_id: robot.app.id }]);
  });
});
