import assert from 'node:assert/strict';

/** What a browser sees of a response. */
export interface BrowserResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

export interface BrowserRequest {
  readonly body?: string | Buffer;
  readonly headers: Record<string, string>;
}

/** A browser as far as tests need one: it keeps cookies, and sends a form with the hidden fields of its page. */
export interface Browser<R extends BrowserResponse = BrowserResponse> {
  readonly cookies: Map<string, string>;
  get(path: string): Promise<R>;
  /** Sends fields as they are. */
  post(
    path: string,
    fields: Readonly<Record<string, string>> | URLSearchParams,
    headers?: Record<string, string>,
  ): Promise<R>;
  /** Sends a form with files. */
  upload(path: string, fields: FormData): Promise<R>;
  /** Fills in the form of the last page that goes to this path. */
  submit(path: string, fields?: Readonly<Record<string, string>>): Promise<R>;
}

export function openBrowser<R extends BrowserResponse>(
  sendRequest: (method: 'GET' | 'POST', path: string, request: BrowserRequest) => Promise<R>,
): Browser<R> {
  const cookies = new Map<string, string>();
  let page = '';
  const send = async (
    method: 'GET' | 'POST',
    path: string,
    body?: string | Buffer,
    headers: Record<string, string> = {},
  ): Promise<R> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await sendRequest(method, path, {
      ...(body === undefined ? {} : { body }),
      headers: {
        'user-agent': 'Mozilla/5.0',
        accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
        ...(cookie === '' ? {} : { cookie }),
        ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
    });
    keep(cookies, response.headers['set-cookie']);
    page = response.text;
    return response;
  };
  const browser: Browser<R> = {
    cookies,
    get: (path) => send('GET', path),
    post: (path, fields, headers) =>
      send('POST', path, new URLSearchParams(fields).toString(), headers),
    async upload(path, fields) {
      const encoded = new Response(fields);
      const body = Buffer.from(await encoded.arrayBuffer());
      const type = encoded.headers.get('content-type') ?? '';
      return send('POST', path, body, { 'content-type': type });
    },
    submit: (path, fields = {}) => browser.post(path, { ...hiddenFields(page, path), ...fields }),
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

/** The hidden fields of the form of a page that goes to this URL. */
export function hiddenFields(page: string, action: string): Record<string, string> {
  const inputs = formOf(page, action).matchAll(
    /<input type="hidden" name="([^"]*)" value="([^"]*)"/g,
  );
  return Object.fromEntries(
    [...inputs].map(([, name = '', value = '']) => [name, unescaped(value)]),
  );
}

/** Every field of a form as a browser sends it, with those that a person has changed. */
export function filledForm(
  page: string,
  action: string,
  changed: Readonly<Record<string, string>> = {},
): URLSearchParams {
  const fields = new URLSearchParams();
  const controls = formOf(page, action).matchAll(
    /<input([^>]*)>|<textarea([^>]*)>\n?([^<]*)<\/textarea|<select([^>]*)>([^]*?)<\/select/g,
  );
  for (const [, input, area, text = '', select, options = ''] of controls) {
    const attributes = input ?? area ?? select ?? '';
    const name = /\bname="([^"]*)"/.exec(attributes)?.[1] ?? '';
    if (/type="checkbox"/.test(attributes) && !/\bchecked\b/.test(attributes)) continue;
    const value = [
      input === undefined ? undefined : (/\bvalue="([^"]*)"/.exec(input)?.[1] ?? ''),
      area === undefined ? undefined : text,
      (/value="([^"]*)"\s+selected/.exec(options) ?? /value="([^"]*)"/.exec(options))?.[1],
    ].find((each) => each !== undefined);
    fields.append(name, changed[name] ?? unescaped(value ?? ''));
  }
  for (const [name, value] of Object.entries(changed)) {
    if (!fields.has(name)) fields.set(name, value);
  }
  return fields;
}

function formOf(page: string, action: string): string {
  const form = page
    .split('<form')
    .slice(1)
    .find((text) => text.includes(`action="${action}"`));
  assert.ok(form !== undefined, `the page has no form to ${action}`);
  return form.slice(0, form.indexOf('</form>'));
}

function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
