import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { createTestBrowser } from '#forge/testing/test-browser.ts';
import type { TestUser } from '#forge/testing/test-forge.ts';

import {
  startTestApplication,
  type ReceivedResponse,
  type TestApplication,
} from './testing/test-application.ts';

describe('the site and the hosts of functions', () => {
  let application: TestApplication;
  let user: TestUser;
  let functionId: string;
  before(async () => {
    application = await startTestApplication();
    const { forge, functions } = application;
    user = await forge.user('reader', { siteAdmin: true });
    await functions.create('page');
    const given = { FunctionName: 'page' };
    const created = await functions.call('CreateFunctionUrlConfig', { ...given, AuthType: 'NONE' });
    await functions.call('AddPermission', {
      ...given,
      StatementId: 'everybody',
      Action: 'lambda:InvokeFunctionUrl',
      Principal: '*',
      FunctionUrlAuthType: 'NONE',
    });
    functionId = /[a-z2-7]{32}/.exec(created.body.FunctionUrl)?.[0] ?? '';
  });
  after(() => application.close());

  const siteHost = 'forge.test';
  const functionHost = (): string => `${functionId}.lambda-url.us-east-1.localhost`;

  const ask = (
    method: string,
    path: string,
    headers: Record<string, string>,
    body = '',
  ): Promise<ReceivedResponse> => application.ask({ method, path, headers, body });

  function eventSeen(): { cookies?: string[]; headers: Record<string, string>; rawPath: string } {
    const payload =
      application.functions.environments.invoked.at(-1)?.event.payload ?? Buffer.alloc(0);
    return JSON.parse(Buffer.from(payload).toString());
  }

  /** The cookies of a browser that the user is signed in with. */
  async function signedIn(): Promise<string> {
    const password = await application.forge.ports.passwords.hash('correct horse');
    await application.forge.database.write((sql) =>
      sql.run('update accounts set password_hash = $1 where id = $2', password, user.account.id),
    );
    const browser = createTestBrowser(application.forge);
    await browser.signIn('reader', 'correct horse');
    return [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  it('no function sees the session of who reads it on the site’s own origin', async () => {
    const cookie = await signedIn();
    const page = await ask('GET', '/settings/tokens', { host: siteHost, cookie });
    assert.equal(page.status, 200, 'the session is one');
    const path = `/lambda-url/${functionId}/`;
    const answer = await ask('GET', path, { host: siteHost, cookie });
    assert.equal(answer.status, 200, answer.text);
    assert.ok(!answer.text.includes('hob_session'), 'the function saw the cookie');
    assert.deepEqual(eventSeen().cookies, undefined);
    assert.equal(answer.headers['content-security-policy'], 'sandbox');
  });

  it('the session is for the site’s host alone', async () => {
    const browser = createTestBrowser(application.forge);
    const { headers } = await browser.get('/login');
    const cookie = headers['set-cookie'] ?? '';
    assert.match(cookie, /; HttpOnly; SameSite=Lax$/);
    assert.doesNotMatch(cookie, /Domain/i);
  });

  it('no route of the site is behind the host of a function', async () => {
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/healthz'],
      ['GET', '/readyz'],
      ['GET', '/api/v3'],
      ['GET', '/settings/tokens'],
      ['GET', '/favicon.ico'],
      ['POST', '/session'],
      ['POST', '/api/graphql'],
      ['GET', '/reader/project.git/info/refs?service=git-upload-pack'],
      ['GET', '/2015-03-31/functions/'],
      ['PROPFIND', '/'],
    ] as const) {
      const ran = application.functions.environments.invoked.length;
      const answer = await ask(method, path, { host: functionHost() });
      assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`);
      assert.equal(application.functions.environments.invoked.length, ran + 1, `${method} ${path}`);
      assert.equal(eventSeen().rawPath, path.split('?')[0]);
    }
  });

  it('a host of functions that is none answers nothing of the site either', async () => {
    for (const host of ['x.lambda-url.us-east-1.localhost', 'lambda-url.us-east-1.localhost']) {
      for (const path of ['/', '/healthz', '/api/v3', '/login']) {
        const answer = await ask('GET', path, { host });
        assert.equal(answer.status, 404, path);
        assert.equal(answer.headers['x-amzn-errortype'], 'ResourceNotFoundException', path);
      }
    }
  });

  describe('a form of a signed-in browser', () => {
    const form = 'application/x-www-form-urlencoded';

    it('is refused when a page of a function sends it, its token notwithstanding', async () => {
      const cookie = await signedIn();
      const page = await ask('GET', '/settings/tokens', { host: siteHost, cookie });
      const token = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
      const body = new URLSearchParams({ form_token: token }).toString();
      const from = `http://${functionHost()}`;
      for (const headers of [
        { origin: from },
        { origin: 'null' },
        { origin: from, 'sec-fetch-site': 'same-site' },
        { origin: from, 'sec-fetch-site': 'cross-site' },
        { origin: 'null', 'sec-fetch-site': 'cross-site' },
      ]) {
        const sent = { host: siteHost, cookie, 'content-type': form, ...headers };
        const answer = await ask('POST', '/logout', sent, body);
        assert.equal(answer.status, 403, JSON.stringify(headers));
      }
      const still = await ask('GET', '/settings/tokens', { host: siteHost, cookie });
      assert.equal(still.status, 200, 'no one was signed out');
      const own = { origin: `http://${siteHost}`, 'sec-fetch-site': 'same-origin' };
      const sent = { host: siteHost, cookie, 'content-type': form, ...own };
      assert.equal((await ask('POST', '/logout', sent, body)).status, 303);
    });
  });
});
