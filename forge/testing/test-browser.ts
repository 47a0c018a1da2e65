import assert from 'node:assert/strict';

import { present } from '#platform/present.ts';

import type { TestResponse, TestClient } from './test-forge.ts';

/** A browser as far as tests need one: it keeps cookies, and sends a form with the hidden fields of its page. */
export interface TestBrowser {
  readonly cookies: Map<string, string>;
  get(path: string): Promise<TestResponse>;
  /** Sends fields as they are. */
  post(
    path: string,
    fields: Readonly<Record<string, string>> | URLSearchParams,
    headers?: Record<string, string>,
  ): Promise<TestResponse>;
  /** Fills in the form of the last page that goes to this path. */
  submit(path: string, fields?: Readonly<Record<string, string>>): Promise<TestResponse>;
  /** Signs in by the page. */
  signIn(login: string, password: string): Promise<TestResponse>;
}

export function createTestBrowser(forge: {
  readonly anonymous: Pick<TestClient, 'send'>;
}): TestBrowser {
  const cookies = new Map<string, string>();
  let page = '';
  const send = async (
    method: string,
    path: string,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<TestResponse> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await forge.anonymous.send(method, path, {
      ...present({ body }),
      headers: {
        'user-agent': 'Mozilla/5.0',
        ...(cookie === '' ? {} : { cookie }),
        ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
    });
    keep(cookies, response.headers['set-cookie']);
    page = response.text;
    return response;
  };
  const browser: TestBrowser = {
    cookies,
    get: (path) => send('GET', path),
    post: (path, fields, headers) =>
      send('POST', path, new URLSearchParams(fields).toString(), headers),
    submit: (path, fields = {}) => browser.post(path, { ...hiddenFields(page, path), ...fields }),
    async signIn(login, password) {
      await browser.get('/login');
      const response = await browser.submit('/session', { login, password });
      assert.equal(response.status, 303, response.text);
      return response;
    },
  };
  return browser;
}

/** Several cookies come joined by commas, of which our cookies hold none. */
function keep(cookies: Map<string, string>, header: string | undefined): void {
  for (const text of header?.split(',') ?? []) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text.trim()) ?? [];
    if (value === '') cookies.delete(name);
    else cookies.set(name, value);
  }
}

function hiddenFields(page: string, action: string): Record<string, string> {
  const form = page
    .split('<form')
    .slice(1)
    .find((text) => text.includes(`action="${action}"`));
  assert.ok(form !== undefined, `the page has no form to ${action}`);
  const inputs = form
    .slice(0, form.indexOf('</form>'))
    .matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
  return Object.fromEntries(
    [...inputs].map(([, name = '', value = '']) => [name, unescaped(value)]),
  );
}

function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
