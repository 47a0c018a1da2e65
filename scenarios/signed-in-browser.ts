import assert from 'node:assert/strict';

import { type Browser, type BrowserResponse, openBrowser } from '#web/testing/test-browser.ts';

import type { RunningServer } from './running-server.ts';

/** A browser without scripts in which the site administrator has signed in: forms are sent as they stand on their pages. */
export async function openSignedInBrowser(
  server: Pick<RunningServer, 'url' | 'login' | 'password'>,
): Promise<Browser> {
  const browser = openBrowser<BrowserResponse>(async (method, path, { headers, body }) => {
    const response = await fetch(new URL(path, server.url), {
      method,
      headers: { accept: 'text/html,application/xhtml+xml', ...headers },
      redirect: 'manual',
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
    });
    return {
      status: response.status,
      headers: {
        ...Object.fromEntries(response.headers),
        'set-cookie': response.headers.getSetCookie().join(','),
      },
      text: await response.text(),
    };
  });
  await browser.get('/login?return_to=/-/functions');
  const fields = { login: server.login, password: server.password };
  const signedIn = await browser.submit('/session', fields);
  assert.equal(signedIn.headers['location'], '/-/functions', signedIn.text);
  return browser;
}
