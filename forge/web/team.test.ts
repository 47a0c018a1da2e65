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
    const { body: tools } = await owner.get('/repos/acme/tools');
    const users = `accounts u where u.login like 'user-%'`;
    await forge.database.write(async (sql) => {
      await sql.run(
        `with recursive counter (n) as (select 1000 union all select n + 1 from counter where n < 1100)
         insert into accounts (kind, login, login_key, created_at, updated_at)
         select 'user', 'user-' || substr('' || n, 2), 'user-' || substr('' || n, 2), 1, 1 from counter order by n`,
      );
      await sql.run(
        `insert into organization_members (organization_id, user_id, role)
         select o.id, u.id, 'member' from accounts o, ${users} and o.login = 'acme'`,
      );
      await sql.run(
        `insert into team_members (team_id, user_id, role)
         select t.id, u.id, 'member' from teams t, ${users} and t.slug = 'all'`,
      );
      await sql.run(
        `insert into collaborators (repository_id, account_id, permission, created_at)
         select r.id, u.id, 'write', 1 from repositories r, ${users} and r.id = $1`,
        tools.id,
      );
      await sql.run(
        `insert into repositories (network_id, owner_id, name, name_key, state, default_branch, created_at, updated_at)
         select r.network_id, cast($2 as bigint), u.login, u.login, 'ready', 'main', 1, 1 from repositories r, ${users} and r.id = $1`,
        tools.id,
        owner.account.id,
      );
      await sql.run(
        `insert into invitations (repository_id, invitee_id, inviter_id, permission, created_at)
         select r.id, g.id, r.owner_id, 'write', 1 from repositories r, accounts g
         where r.name like 'user-%' and g.login = 'grace' order by r.id`,
      );
    });
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
