import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { signedInBrowser, type TestBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('the pages of accounts', () => {
  let forge: TestForge;
  let ada: TestUser;
  let grace: TestUser;
  let browser: TestBrowser;

  before(async () => {
    forge = await startTestForge();
    ada = await forge.user('ada');
    grace = await forge.user('grace');
    await forge.repository(ada, { name: 'tools' });
    await forge.repository(ada, { name: 'hidden', private: true });
    await forge.organization(ada, 'acme');
    browser = await signedInBrowser(forge, 'grace');
  });
  after(() => forge.close());

  const formToken = async (): Promise<string> => {
    const { text } = await browser.get('/settings/tokens');
    return /name="form_token" value="([^"]+)"/.exec(text)?.[1] ?? assert.fail('no form token');
  };

  test('lead from a user to what the viewer may see of it', async () => {
    await ada.put('/user/starred/ada/hidden');
    await ada.put('/user/starred/ada/tools');
    await ada.put('/user/following/grace');
    for (const client of [browser, forge.anonymous]) {
      const repositories = (await client.get('/ada')).text;
      assert.match(repositories, /\/ada\/tools"/);
      assert.doesNotMatch(repositories, /ada\/hidden|acme/);
      const stars = (await client.get('/ada?tab=stars')).text;
      assert.match(stars, /\/ada\/tools"/);
      assert.doesNotMatch(stars, /ada\/hidden/);
      assert.match((await client.get('/ada?tab=following')).text, /\/grace"/);
      assert.match((await client.get('/grace?tab=followers')).text, /\/ada"/);
      assert.match((await client.get('/grace?tab=followers')).text, /Followers \(1\)/);
      assert.match((await client.get('/grace?tab=stars')).text, /has starred no repository/);
      assert.equal((await client.get('/ada?tab=none')).status, 200);
    }
    const own = await signedInBrowser(forge, 'ada');
    const page = (await own.get('/ada')).text;
    assert.match(page, /\/ada\/hidden"/);
    assert.match(page, /\/acme">acme</);
    assert.match(page, /href="\/settings\/profile"/);
  });

  test('show addresses to signed-in users only, and make a link of a URL alone', async () => {
    await forge.database.write((sql) =>
      sql.run(
        `update accounts set email = 'ada@example.org', blog = 'javascript:alert(1)', bio = '<b>x</b>'
         where login = 'ada'`,
      ),
    );
    const seen = (await browser.get('/ada')).text;
    assert.match(seen, /ada@example\.org/);
    assert.match(seen, /&lt;b&gt;x/);
    assert.doesNotMatch(seen, /href="javascript/);
    assert.doesNotMatch((await forge.anonymous.get('/ada')).text, /ada@example\.org/);
  });

  test('follow and unfollow', async () => {
    await browser.get('/ada');
    const followed = await browser.submit('/-/follows/add');
    assert.equal(followed.status, 303);
    assert.match(followed.headers['location'] ?? '', /\/ada$/);
    assert.equal((await grace.get('/user/following/ada')).status, 204);
    await browser.get('/ada');
    await browser.submit('/-/follows/remove');
    assert.equal((await grace.get('/user/following/ada')).status, 404);
    const form_token = await formToken();
    assert.equal(
      (await browser.post('/-/follows/add', { form_token, login: 'grace' })).status,
      422,
    );
    for (const [act, login] of [
      ['add', 'none'],
      ['add', 'acme'],
      ['constructor', 'ada'],
    ]) {
      const refused = await browser.post(`/-/follows/${act}`, { form_token, login: login ?? '' });
      assert.equal(refused.status, 404, `${act} ${login}`);
    }
    assert.equal((await browser.post('/-/follows/add', { login: 'ada' })).status, 403);
    assert.equal((await grace.get('/user/following/ada')).status, 404);
  });

  test('star and watch a repository, and list who does', async () => {
    await browser.get('/ada/tools');
    assert.equal((await browser.submit('/ada/tools/stars/add')).status, 303);
    assert.equal((await grace.get('/user/starred/ada/tools')).status, 204);
    const page = (await browser.get('/ada/tools')).text;
    assert.match(page, /2 stars/);
    assert.match((await forge.anonymous.get('/ada/tools/stargazers')).text, /\/grace"/);
    await browser.submit('/ada/tools/subscription/watch');
    assert.equal((await grace.get('/repos/ada/tools/subscription')).body.ignored, false);
    assert.match((await forge.anonymous.get('/ada/tools/watchers')).text, /\/grace"/);
    await browser.get('/ada/tools');
    await browser.submit('/ada/tools/subscription/remove');
    await browser.get('/ada/tools');
    await browser.submit('/ada/tools/subscription/ignore');
    assert.equal((await grace.get('/repos/ada/tools/subscription')).body.ignored, true);
    assert.match((await browser.get('/ada/tools')).text, /Stop ignoring/);
    await browser.submit('/ada/tools/stars/remove');
    assert.equal((await grace.get('/user/starred/ada/tools')).status, 404);
  });

  test('refuse stars of hidden repositories, unknown acts and forms without their token', async () => {
    const form_token = await formToken();
    for (const path of [
      '/ada/hidden/stars/add',
      '/ada/hidden/subscription/watch',
      '/ada/tools/stars/toString',
      '/ada/tools/subscription/none',
    ]) {
      assert.equal((await browser.post(path, { form_token })).status, 404, path);
    }
    for (const path of ['/ada/tools/stars/add', '/ada/tools/subscription/watch']) {
      assert.equal((await browser.post(path, {})).status, 403, path);
    }
    for (const path of ['/ada/hidden/stargazers', '/ada/hidden/watchers']) {
      assert.equal((await browser.get(path)).status, 404, path);
      assert.equal((await forge.anonymous.get(path)).status, 404, path);
    }
  });
});
