import assert from 'node:assert/strict';

import { type Browser, openBrowser } from '#web/testing/test-browser.ts';

import type { TestResponse, TestClient } from './test-forge.ts';

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
