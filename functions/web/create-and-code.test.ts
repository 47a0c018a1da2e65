import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { codeRequestBytesMax } from '#functions-contract/limits.ts';
import { type Browser, filledForm } from '#web/testing/test-browser.ts';

import { zipOf } from '../code/testing/zip-of.ts';
import { createTestConsole, type TestConsole } from '../testing/test-console.ts';
import type { TestResponse } from '../testing/test-functions.ts';

const createPage = '/-/create-function';

describe('creating a function in the console, and its code', () => {
  let service: TestConsole;
  let browser: Browser<TestResponse>;

  before(async () => {
    service = await createTestConsole();
    browser = await service.signedIn('ada');
  });
  after(() => service.close());

  /** Sends a form with files from a page. */
  async function upload(
    page: string,
    act: string,
    fields: Readonly<Record<string, string>>,
    zip?: Buffer,
  ): Promise<TestResponse> {
    const { text } = await browser.get(page);
    const form = new FormData();
    for (const [name, value] of filledForm(text, `${page}/${act}`, fields)) {
      if (name !== 'zip') form.append(name, value);
    }
    form.append('zip', new File(zip ? [new Uint8Array(zip)] : [], zip ? 'code.zip' : ''));
    return browser.upload(`${page}/${act}`, form);
  }

  test('an upload of a user without an access key is refused by its head, before its body', async () => {
    for (const by of [
      service.anonymous(),
      await service.signedIn('keyless', { accessKey: false }),
    ]) {
      const form = new FormData();
      form.append('name', 'stolen');
      assert.equal((await by.upload(`${createPage}/create`, form)).status, 403);
      const huge = await by.post(`${createPage}/create`, {}, { 'content-length': '2000000000' });
      assert.equal(huge.status, 403);
    }
    assert.equal((await service.call('GetFunction', { FunctionName: 'stolen' })).status, 404);
  });

  test('an upload without a token, from elsewhere, or malformed creates nothing', async () => {
    const form = new FormData();
    form.append('name', 'forged');
    form.append('form_token', 'x');
    assert.equal((await browser.upload(`${createPage}/create`, form)).status, 403);
    const head = { 'content-type': 'multipart/form-data; boundary=x' };
    for (const [headers, status] of [
      [{ ...head, 'sec-fetch-site': 'cross-site' }, 403],
      [head, 400],
      [{ 'content-type': 'application/x-www-form-urlencoded' }, 400],
      [{ 'content-type': 'multipart/form-data' }, 400],
    ] as const) {
      const response = await browser.post(`${createPage}/create`, { name: 'forged' }, headers);
      assert.equal(response.status, status, JSON.stringify(headers));
      assert.match(response.headers['content-type'] ?? '', /^text\/html/);
    }
    const large = await browser.post(
      `${createPage}/create`,
      {},
      { 'content-length': String(codeRequestBytesMax + 1) },
    );
    assert.equal(large.status, 413, large.text);
    assert.equal((await service.call('GetFunction', { FunctionName: 'forged' })).status, 404);
  });

  test('a function begins with a sample of its language', async () => {
    for (const [runtime, handler, file] of [
      ['nodejs24.x', 'index.handler', 'index.mjs'],
      ['python3.14', 'lambda_function.lambda_handler', 'lambda_function.py'],
      ['ruby3.4', 'lambda_function.lambda_handler', 'lambda_function.rb'],
    ] as const) {
      const name = `sample-${runtime.replace(/\d.*/, '')}`;
      const created = await upload(createPage, 'create', { name, runtime });
      assert.equal(created.headers['location'], `/-/functions/${name}`, created.text);
      await service.untilProvisioned();
      const { body } = await service.call('GetFunctionConfiguration', { FunctionName: name });
      assert.deepEqual([body.Runtime, body.Handler, body.State], [runtime, handler, 'Active']);
      const files = await browser.get(`/-/functions/${name}/code`);
      assert.ok(files.text.includes(`?file=${file}`), files.text);
      const shown = await browser.get(`/-/functions/${name}/code?file=${file}`);
      assert.match(shown.text, /Hello from Hob!/);
    }
  });

  test('a runtime without a sample, or a bad name, is refused with the form', async () => {
    const without = await upload(createPage, 'create', { name: 'odd', runtime: 'java25' });
    assert.equal(without.status, 400);
    assert.match(without.text, /There is no sample for java25/);
    assert.match(without.text, /name="name"\s+value="odd"/);
    const inherited = await upload(createPage, 'create', { name: 'odd', runtime: 'constructor' });
    assert.equal(inherited.status, 400);
    const bad = await upload(createPage, 'create', { name: '<b>' });
    assert.equal(bad.status, 400);
    assert.match(bad.text, /value="&lt;b&gt;"/);
    await upload(createPage, 'create', { name: 'twice' });
    const again = await upload(createPage, 'create', { name: 'twice' });
    assert.equal(again.status, 409);
    assert.match(again.text, /already exist/);
  });

  test('a zip archive is uploaded, shown as text, and downloaded as it is', async () => {
    const zip = zipOf({
      'index.mjs': '// <script>\nexport const handler = async () => 1;\n',
      'lib/data.bin': Buffer.from([0, 1, 2]),
      'lib/large.txt': 'x'.repeat(300_000),
    });
    const fields = { name: 'packed', handler: 'index.handler' };
    const created = await upload(createPage, 'create', fields, zip);
    assert.equal(created.status, 303, created.text);
    await service.untilProvisioned();
    const page = '/-/functions/packed/code';
    const { text } = await browser.get(page);
    assert.match(text, /\?file=lib%2Fdata\.bin/);
    const [, download = ''] = /href="(\/2015-03-31\/code-archives\/[^"]+)"/.exec(text) ?? [];
    assert.deepEqual((await browser.get(download)).bytes, zip);
    assert.match((await browser.get(`${page}?file=index.mjs`)).text, /\/\/ &lt;script&gt;/);
    assert.match((await browser.get(`${page}?file=lib/data.bin`)).text, /binary: 3 bytes/);
    assert.match((await browser.get(`${page}?file=lib/large.txt`)).text, /too many for a page/);
    for (const path of ['nowhere', '../index.mjs', '/etc/passwd', '']) {
      const response = await browser.get(`${page}?file=${encodeURIComponent(path)}`);
      assert.equal(response.status, 404, path);
    }
  });

  test('new code replaces the old for the revision that was shown', async () => {
    const page = '/-/functions/renewed/code';
    await service.create('renewed');
    const none = await upload(page, 'upload', {});
    assert.equal(none.status, 400);
    assert.match(none.text, /Choose a zip archive/);
    const damaged = await upload(page, 'upload', {}, Buffer.from('no zip'));
    assert.equal(damaged.status, 400, damaged.text);
    const zip = zipOf({ 'index.mjs': 'export const handler = async () => 2;' });
    const stale = await upload(page, 'upload', { revision: 'other' }, zip);
    assert.equal(stale.status, 412);
    const { text } = await browser.get(page);
    await service.call('UpdateFunctionConfiguration', { FunctionName: 'renewed', Timeout: 9 });
    await service.untilProvisioned();
    const target = `${page}/upload`;
    const late = new FormData();
    for (const [field, value] of filledForm(text, target)) {
      if (field !== 'zip') late.append(field, value);
    }
    late.append('zip', new Blob([new Uint8Array(zip)]), 'code.zip');
    const changed = await browser.upload(target, late);
    assert.equal(changed.status, 412);
    assert.match(changed.text, /Another user changed this[^]*<li>Timeout \(seconds\): 9<\/li>/);
    assert.doesNotMatch(changed.text, /<li>SHA-256/);
    assert.equal((await upload(page, 'upload', {}, zip)).status, 303);
    await service.untilProvisioned();
    assert.match((await browser.get(`${page}?file=index.mjs`)).text, /=&gt; 2;/);
  });

  test('a function is deleted after a question', async () => {
    await service.create('doomed');
    const page = '/-/functions/doomed';
    const { text } = await browser.get(page);
    const asked = await browser.post(`${page}/delete`, filledForm(text, `${page}/delete`));
    assert.match(asked.text, /Delete the function doomed, with all of its versions and aliases\?/);
    assert.equal((await browser.get(page)).status, 200);
    const done = await browser.post(`${page}/delete`, filledForm(asked.text, `${page}/delete`));
    assert.equal(done.headers['location'], '/-/functions');
    assert.equal((await browser.get(page)).status, 404);
  });
});
