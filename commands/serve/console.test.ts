import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import Fastify, { type FastifyInstance } from 'fastify';

import { createUser } from '#forge/accounts/create-user.ts';
import { forgeServerOptions } from '#forge/forge.ts';
import { createAccessKey } from '#functions/access-keys/administer-access-keys.ts';
import { siteActRecorder } from '#functions/audit/site-acts.ts';
import { createConsole, createFunctions } from '#functions/functions.ts';
import { functionAdministrationLinks, consoleLink } from '#functions/web/web.ts';
import { type Browser, openBrowser } from '#web/testing/test-browser.ts';

import { registerServices } from './application.ts';
import { type ConnectedServices, connectServices } from './testing/connected-services.ts';

describe('the console of functions on the site of the forge', () => {
  let services: ConnectedServices;
  let application: FastifyInstance;

  before(async () => {
    services = await connectServices();
    const { forge, functions } = services;
    // Here the router checks the expressions of all routes for ones that backtrack, which it does not at a start.
    const { routerOptions } = forgeServerOptions;
    application = Fastify({
      ...forgeServerOptions,
      routerOptions: { ...routerOptions, allowUnsafeRegex: false },
    });
    await registerServices(
      application,
      {
        ...forge.ports,
        otherPages: [consoleLink],
        otherAdministration: functionAdministrationLinks,
        recordSiteAct: siteActRecorder(functions.ports),
      },
      {
        plugin: createFunctions(functions.ports),
        console: (site) => createConsole(functions.ports, site),
      },
      () => false,
    );
    const { id } = await createUser(forge.ports, { login: 'ada', password: 'p w' });
    await createAccessKey(functions.ports, id);
    await createUser(forge.ports, { login: 'grace', password: 'p w' });
    await functions.create('greet');
  });
  after(async () => {
    await application.close();
    await services.close();
  });

  function open(): Browser {
    return openBrowser(async (method, url, { headers, body }) => {
      const response = await application.inject({
        method,
        url,
        headers: { host: '127.0.0.1:4711', accept: 'text/html,application/xhtml+xml', ...headers },
        ...(body === undefined ? {} : { payload: body }),
      });
      const known = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
      return {
        status: response.statusCode,
        headers: Object.fromEntries(known),
        text: response.payload,
      };
    });
  }

  async function signedIn(login: string): Promise<Browser> {
    const browser = open();
    await browser.get('/login?return_to=/-/functions');
    const response = await browser.submit('/session', { login, password: 'p w' });
    assert.equal(response.headers['location'], '/-/functions');
    return browser;
  }

  it('asks anonymous users to sign in, and leads back', async () => {
    const { status, headers, text } = await open().get('/-/functions/greet');
    assert.equal(status, 302, text);
    assert.equal(headers['location'], '/login?return_to=%2F-%2Ffunctions%2Fgreet');
    assert.doesNotMatch((await open().get('/')).text, /\/-\/functions/);
  });

  it('is open to users with an access key, in the frame of the site', async () => {
    const browser = await signedIn('ada');
    assert.match(
      (await browser.get('/')).text,
      /<a [^>]*href="\/-\/functions"\s*>Functions<\/a\s*>/,
    );
    const { status, text } = await browser.get('/-/functions');
    assert.equal(status, 200, text);
    assert.match(text, /<summary>ada<\/summary>/);
    assert.match(text, /<a [^>]*href="\/-\/functions" aria-current="page"\s*>Functions<\/a\s*>/);
    assert.match(text, /href="\/-\/functions\/greet">greet/);
  });

  it('is closed to others, and to a token in a header', async () => {
    const guest = await signedIn('grace');
    const refused = await guest.get('/-/functions');
    assert.equal(refused.status, 403);
    assert.match(refused.text, /grace has no access key/);
    const { token } = await services.forge.user('robot', { siteAdmin: true });
    const response = await application.inject({
      url: '/-/functions',
      headers: { authorization: `token ${token}` },
    });
    assert.equal(response.statusCode, 302);
  });

  it('answers a path below it that is no page as the site does', async () => {
    const { status, text } = await (await signedIn('ada')).get('/-/functions/greet/nothing');
    assert.equal(status, 404);
    assert.match(text, /<h1>Not found<\/h1>/);
  });

  it('shows site administrators what they do, here and in the forge', async () => {
    const { forge, functions } = services;
    const { id } = await createUser(forge.ports, {
      login: 'root',
      password: 'p w',
      siteAdmin: true,
    });
    await createAccessKey(functions.ports, id);
    const browser = await signedIn('root');
    const tabs = (text: string): string[] =>
      [...text.matchAll(/href="(\/-\/admin[^"]*)"/g)].map(([, href = '']) => href);
    const fromForge = new Set(tabs((await browser.get('/-/admin')).text));
    const ofConsole = functionAdministrationLinks.map(({ href }) => href);
    assert.ok(ofConsole.every((href) => fromForge.has(href)));
    for (const href of ofConsole) {
      const { status, text } = await browser.get(href);
      assert.equal(status, 200, href);
      assert.deepEqual(new Set(tabs(text)), fromForge);
      assert.match(text, new RegExp(`href="${href}" aria-current="page"`));
    }
    await browser.get('/-/admin/users');
    const created = await browser.submit('/-/admin/users/create', { login: 'linus' });
    assert.equal(created.status, 303, created.text);
    await browser.get('/-/admin/users');
    assert.equal((await browser.submit('/-/admin/users/create', { login: 'linus' })).status, 422);
    await browser.get('/-/admin/users/linus');
    assert.equal((await browser.submit('/-/admin/users/linus/promote')).status, 303);
    const { text } = await browser.get('/-/admin/audit');
    const rows = text.split('<li>').filter((row) => row.includes('linus'));
    assert.equal(rows.length, 3, text);
    assert.match(rows[0] ?? '', /user\.promote[^]*root[^]*127\.0\.0\.1/);
    assert.match(rows[1] ?? '', /user\.create[^]*class="bad">validation/);
    assert.doesNotMatch(rows[2] ?? '', /class="bad"/);
  });
});
