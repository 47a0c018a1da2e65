import assert from 'node:assert/strict';

import { present } from '#platform/present.ts';

import type { TestAnswer, TestClient } from './test-forge.ts';

/** A browser as far as tests need one: it keeps cookies, and sends a form with the hidden fields of its page. */
export interface TestBrowser {
  readonly cookies: Map<string, string>;
  get(path: string): Promise<TestAnswer>;
  /** Sends fields as they are. */
  post(
    path: string,
    fields: Readonly<Record<string, string>> | URLSearchParams,
    headers?: Record<string, string>,
  ): Promise<TestAnswer>;
  /** Fills in the form of the last page that goes to this path. */
  submit(path: string, fields?: Readonly<Record<string, string>>): Promise<TestAnswer>;
  /** Signs in by the page. */
  signIn(login: string, password: string): Promise<TestAnswer>;
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
  ): Promise<TestAnswer> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await forge.anonymous.send(method, path, {
      ...present({ body }),
      headers: {
        'user-agent': 'Mozilla/5.0',
        ...(cookie === '' ? {} : { cookie }),
        ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
    });
    keep(cookies, answer.headers['set-cookie']);
    page = answer.text;
    return answer;
  };
  const browser: TestBrowser = {
    cookies,
    get: (path) => send('GET', path),
    post: (path, fields, headers) =>
      send('POST', path, new URLSearchParams(fields).toString(), headers),
    submit: (path, fields = {}) => browser.post(path, { ...hiddenFields(page, path), ...fields }),
    async signIn(login, password) {
      await browser.get('/login');
      const answer = await browser.submit('/session', { login, password });
      assert.equal(answer.status, 303, answer.text);
      return answer;
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
