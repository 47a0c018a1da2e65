import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { zipOf } from '#functions/code/testing/zip-of.ts';
import { type Browser, type BrowserResponse, filledForm } from '#web/testing/test-browser.ts';

import { until } from './patience.ts';
import { removeFolder, type RunningServer, startServer } from './running-server.ts';
import { openSignedInBrowser } from './signed-in-browser.ts';

/** As a browser without scripts: forms are sent as they stand on their pages, and redirects are followed. */
describe('the life of a function by forms of the console', () => {
  let folder: string;
  let server: RunningServer;
  let browser: Browser;
  const base = '/-/functions/greet';

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-console-'));
    server = await startServer(folder);
    browser = await openSignedInBrowser(server);
  });
  after(async () => {
    await server.stop();
    await removeFolder(folder);
  });

  async function open(path: string): Promise<string> {
    const { status, text } = await browser.get(path);
    assert.equal(status, 200, `${path}: ${text}`);
    return text;
  }

  /** Sends a form of a page, filled in like this. */
  async function send(
    page: string,
    target: string,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<BrowserResponse> {
    return browser.post(target, filledForm(page, target, fields));
  }

  /** Sends a form with a zip archive. */
  async function upload(
    path: string,
    target: string,
    fields: Readonly<Record<string, string>>,
    code: string,
  ): Promise<void> {
    const form = new FormData();
    for (const [name, value] of filledForm(await open(path), target, fields)) {
      if (name !== 'zip') form.append(name, value);
    }
    form.append('zip', new File([new Uint8Array(zipOf({ 'index.mjs': code }))], 'code.zip'));
    const response = await browser.upload(target, form);
    assert.equal(response.headers['location'], base, response.text);
  }

  /** Watches the overview, which asks again by itself while something is under way. */
  const settled = (): Promise<string> =>
    until(
      async () => {
        const page = await open(base);
        return page.includes('http-equiv="refresh"') ? undefined : page;
      },
      { seconds: 60, missing: 'the end of the update' },
    );

  async function configure(fields: Readonly<Record<string, string>>): Promise<string> {
    const page = await open(`${base}/configuration`);
    const review = await send(page, `${base}/configuration/review`, fields);
    assert.match(review.text, /What would change/);
    const saved = await send(review.text, `${base}/configuration/save`);
    assert.equal(saved.headers['location'], base, saved.text);
    return settled();
  }

  async function invoke(qualifier: string, event: string): Promise<string> {
    const page = await open(`${base}/test`);
    const response = await send(page, `${base}/test/invoke`, { qualifier, event });
    assert.equal(response.status, 200, response.text);
    return response.text;
  }

  const program = (greeting: string): string => `
    if (process.env.BROKEN) throw new Error('broken on purpose');
    export const handler = async ({ name }) => {
      console.log('greeting ' + name);
      return '${greeting}, ' + name;
    };`;

  test('create, configure, fail, fix, publish, alias, invoke and follow the log', async () => {
    assert.match(await open('/-/functions'), /There is no function yet/);
    const created = { name: 'greet', handler: 'index.handler' };
    await upload('/-/create-function', '/-/create-function/create', created, program('Hello'));
    assert.match(await settled(), /✓ Active/);

    assert.match(await configure({ MemorySize: '256' }), /256 MB/);
    assert.match(await invoke('$LATEST', '{"name":"Ada"}'), /of 256 MB[^]*Hello, Ada/);

    const variable = { variable_name: 'BROKEN', variable_value: 'yes' };
    const failed = await configure({ ...variable, MemorySize: '512' });
    assert.match(failed, /✗ Last update failed/);
    assert.match(failed, /previous configuration still serves/);
    assert.match(failed, /broken on purpose/);
    assert.match(await invoke('$LATEST', '{"name":"Ada"}'), /of 256 MB[^]*Hello, Ada/);

    assert.match(await configure({ variable_name: '', MemorySize: '512' }), /✓ Active/);
    const versions = await open(`${base}/versions`);
    assert.equal((await send(versions, `${base}/versions/publish`)).status, 303);
    const aliases = await open(`${base}/aliases`);
    const alias = { alias: 'live', version: '1' };
    assert.equal((await send(aliases, `${base}/aliases/create`, alias)).status, 303);

    await upload(`${base}/code`, `${base}/code/upload`, {}, program('Welcome'));
    assert.match(await settled(), /✓ Active/);
    assert.match(await invoke('live', '{"name":"Grace"}'), /Hello, Grace/);
    assert.match(await invoke('$LATEST', '{"name":"Grace"}'), /Welcome, Grace/);

    const log = await until(
      async () => {
        const page = await open(`${base}/logs?follow=1&filter=greeting`);
        return page.includes('greeting Grace') ? page : undefined;
      },
      { seconds: 60, missing: 'the lines of the log' },
    );
    assert.match(log, /http-equiv="refresh"/);

    const asked = await send(await open(base), `${base}/delete`);
    const gone = await send(asked.text, `${base}/delete`);
    assert.equal(gone.headers['location'], '/-/functions', gone.text);
    assert.match(await open('/-/functions'), /There is no function yet/);
  });
});
