import assert from 'node:assert/strict';

import { type Browser, openBrowser } from '#web/testing/test-browser.ts';

import type { TestClient, TestForge, TestResponse } from './test-forge.ts';

/** A browser that can sign in. */
export interface TestBrowser extends Browser<TestResponse> {
  /** Signs in by the page. */
  signIn(login: string, password: string): Promise<TestResponse>;
}

export function createTestBrowser(forge: {
  readonly anonymous: Pick<TestClient, 'send'>;
}): TestBrowser {
  const browser = openBrowser((method, path, request) =>
    forge.anonymous.send(method, path, request),
  );
  return {
    ...browser,
    async signIn(login, password) {
      await browser.get('/login');
      const response = await browser.submit('/session', { login, password });
      assert.equal(response.status, 303, response.text);
      return response;
    },
  };
}

/** A browser in which this user, who gets a password for it, is signed in. */
export async function signedInBrowser(forge: TestForge, login: string): Promise<TestBrowser> {
  const hash = await forge.ports.passwords.hash('p w');
  await forge.database.write((sql) =>
    sql.run('update accounts set password_hash = $1 where login = $2', hash, login),
  );
  const browser = createTestBrowser(forge);
  await browser.signIn(login, 'p w');
  return browser;
}
