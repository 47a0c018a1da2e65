import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { createUser } from '../../accounts/create-user.ts';
import { createToken } from '../../auth/create-token.ts';
import { createTestBrowser } from '../../testing/test-browser.ts';
import { startTestForge, type TestForge } from '../../testing/test-forge.ts';

describe('forms and the limit of creating', () => {
  let forge: TestForge;

  before(async () => {
    forge = await startTestForge({ abuseLimits: true });
  });
  after(() => forge.close());

  test('what forms create counts together with what tokens of the same user create', async () => {
    await createUser(forge.ports, { login: 'ada', password: 'p w' });
    const browser = createTestBrowser(forge);
    await browser.signIn('ada', 'p w');
    const { token } = await createToken(forge.ports, {
      login: 'ada',
      scopes: ['repo'],
      note: 'limit',
    });
    const authorization = `token ${token}`;
    const send = (path: string, body: object): ReturnType<TestForge['anonymous']['send']> =>
      forge.anonymous.send('POST', path, { body, headers: { authorization } });
    assert.equal((await send('/user/repos', { name: 'tools' })).status, 201);
    await browser.get('/ada/tools/issues/new');
    // Refused for their fields, but only after they were counted.
    for (let turn = 0; turn < 40; turn += 1) {
      const response = await browser.submit('/ada/tools/issues', { title: ' ' });
      assert.equal(response.status, 422);
    }
    for (let turn = 0; turn < 39; turn += 1)
      assert.equal((await send('/user/repos', {})).status, 422);
    const refused = await browser.submit('/ada/tools/issues', { title: 'One too many' });
    assert.equal(refused.status, 403);
    assert.match(refused.text, /temporarily blocked from content creation/);
    assert.match(refused.text, /value="One too many"/);
    assert.equal((await send('/user/repos', { name: 'more' })).status, 403);
    // Neither reading nor what creates nothing is refused.
    assert.equal((await browser.get('/ada/tools/issues')).status, 200);
    forge.clock.advance(60_000);
    await browser.get('/ada/tools/issues/new');
    assert.equal((await browser.submit('/ada/tools/issues', { title: 'Later' })).status, 303);
  });
});
