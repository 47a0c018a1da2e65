import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { signedInBrowser, type TestBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';

describe('the page of a team', () => {
  let forge: TestForge;
  let owner: TestUser;
  let browser: TestBrowser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('ada');
    await forge.user('grace');
    await forge.organization(owner, 'acme');
    await owner.post('/orgs/acme/teams', {
      name: 'The Crew',
      privacy: 'secret',
      description: '<b>all</b>',
    });
    await owner.put('/orgs/acme/teams/the-crew/memberships/ada');
    const repository = await owner.post('/orgs/acme/repos', { name: 'tools', private: true });
    assert.equal(repository.status, 201, repository.text);
    await owner.put('/orgs/acme/teams/the-crew/repos/acme/tools', { permission: 'push' });
    browser = await signedInBrowser(forge, 'ada');
  });
  after(() => forge.close());

  test('has further pages, as have collaborators and invitations', async () => {
    await owner.post('/orgs/acme/teams', { name: 'All' });
    for (let number = 0; number <= 100; number += 1) {
      const login = `user-${String(number).padStart(3, '0')}`;
      await forge.user(login);
      await owner.put(`/orgs/acme/teams/all/memberships/${login}`);
      await owner.put(`/repos/acme/tools/collaborators/${login}`);
      const { body } = await owner.post('/user/repos', { name: login });
      await owner.put(`/repos/${body.full_name}/collaborators/grace`);
    }
    const invited = await signedInBrowser(forge, 'grace');
    for (const [by, page] of [
      [browser, '/-/orgs/acme/teams/all'],
      [browser, '/acme/tools/collaborators'],
      [invited, '/-/invitations'],
    ] as const) {
      const first = await by.get(page);
      assert.doesNotMatch(first.text, /user-100/, page);
      assert.match(first.text, /\?page=2"/, page);
      assert.match((await by.get(`${page}?page=2`)).text, /user-100/, page);
    }
  });

  test('is where its URL leads a browser, and programs get what they asked for', async () => {
    const { body } = await owner.get('/orgs/acme/teams/the-crew');
    const { pathname } = new URL(body.html_url);
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const shown = await forge.anonymous.get(pathname, { accept, cookie });
    assert.equal(shown.status, 200, shown.text);
    assert.match(shown.text, /The Crew/);
    assert.match(shown.text, /&lt;b&gt;all/);
    assert.match(shown.text, /href="[^"]*\/ada">ada</);
    assert.match(shown.text, /\/acme\/tools"\s*>acme\/tools<\/a/);
    const program = await owner.get(pathname);
    assert.equal(program.body.slug, 'the-crew');
  });

  test('is for those who may see the team', async () => {
    const page = '/-/orgs/acme/teams/the-crew';
    assert.equal((await browser.get(page)).status, 200);
    assert.equal((await forge.anonymous.get(page)).status, 302);
    const stranger = await signedInBrowser(forge, 'grace');
    assert.equal((await stranger.get(page)).status, 404);
    for (const other of ['/-/orgs/acme/teams/none', '/-/orgs/none/teams/the-crew']) {
      assert.equal((await browser.get(other)).status, 404, other);
    }
  });
});
