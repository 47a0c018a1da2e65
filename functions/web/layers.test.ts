import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { type Browser, filledForm } from '#web/testing/test-browser.ts';

import { zipOf } from '../code/testing/zip-of.ts';
import { createTestConsole, type TestConsole } from '../testing/test-console.ts';
import type { TestResponse } from '../testing/test-functions.ts';

const zip = zipOf({ 'lib/tool': 'a tool' });

describe('layers in the console', () => {
  let service: TestConsole;
  let browser: Browser<TestResponse>;

  before(async () => {
    service = await createTestConsole();
    browser = await service.signedIn('ada');
  });
  after(() => service.close());

  /** Fills in the form with a file on a page. */
  async function publish(
    page: string,
    fields: readonly (readonly [string, string])[],
    content: Uint8Array | undefined = zip,
  ): Promise<TestResponse> {
    const { text, status } = await browser.get(page);
    assert.equal(status, 200, text);
    const form = new FormData();
    form.append('form_token', filledForm(text, `${page}/publish`).get('form_token') ?? '');
    for (const [name, value] of fields) form.append(name, value);
    if (content) form.append('zip', new Blob([new Uint8Array(content)]), 'layer.zip');
    return browser.upload(`${page}/publish`, form);
  }

  async function send(
    page: string,
    act: string,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<TestResponse> {
    const { text, status } = await browser.get(page);
    assert.equal(status, 200, text);
    return browser.post(`${page}/${act}`, filledForm(text, `${page}/${act}`, fields));
  }

  test('a form without an archive, or with a bad name, comes back as it was filled in', async () => {
    const without = await publish(
      '/-/layers',
      [
        ['layer', 'tools'],
        ['runtime', 'nodejs24.x'],
      ],
      new Uint8Array(),
    );
    assert.equal(without.status, 400);
    assert.match(without.text, /Choose a zip archive/);
    assert.match(without.text, /value="nodejs24\.x"\s+checked/);
    const bad = await publish('/-/layers', [['layer', '<b>/..']]);
    assert.equal(bad.status, 400);
    assert.match(bad.text, /value="&lt;b&gt;\/\.\."/);
    const runtime = await publish('/-/layers', [
      ['layer', 'tools'],
      ['runtime', 'constructor'],
    ]);
    assert.equal(runtime.status, 400);
    assert.equal((await browser.get('/-/layers/tools')).status, 404);
    for (const pageUrl of [
      'tools/1',
      'tools/0',
      'tools/x',
      'a%2F..%2Fb',
      'tools/9999999999999999',
    ]) {
      assert.equal((await browser.get(`/-/layers/${pageUrl}`)).status, 404, pageUrl);
    }
  });

  test('versions are published, listed, downloaded, and deleted after a question', async () => {
    const published = await publish('/-/layers', [
      ['layer', 'shared'],
      ['description', '<first>'],
      ['runtime', 'nodejs24.x'],
      ['runtime', 'python3.13'],
      ['architecture', 'x86_64'],
      ['license', 'MIT'],
    ]);
    assert.equal(published.headers['location'], '/-/layers/shared/1', published.text);
    const { body } = await service.call('GetLayerVersion', {
      LayerName: 'shared',
      VersionNumber: 1,
    });
    assert.deepEqual(body.CompatibleRuntimes, ['nodejs24.x', 'python3.13']);
    assert.deepEqual(body.CompatibleArchitectures, ['x86_64']);
    assert.equal(body.LicenseInfo, 'MIT');
    const second = await publish('/-/layers/shared', [['description', 'second']]);
    assert.equal(second.headers['location'], '/-/layers/shared/2', second.text);
    assert.match(
      (await browser.get('/-/layers')).text,
      /href="\/-\/layers\/shared">shared<[^]*second/,
    );
    assert.match((await browser.get('/-/layers/shared')).text, /Version 2<[^]*&lt;first&gt;/);
    const page = '/-/layers/shared/1';
    const { text } = await browser.get(page);
    const [, download = ''] = /href="(\/2015-03-31\/code-archives\/[^"]+)"/.exec(text) ?? [];
    assert.deepEqual((await browser.get(download)).bytes, zip);
    const asked = await send(page, 'delete');
    assert.match(asked.text, /Delete version 1 of the layer shared\?/);
    assert.equal((await browser.get(page)).status, 200);
    const done = await browser.post(`${page}/delete`, filledForm(asked.text, `${page}/delete`));
    assert.equal(done.status, 303);
    assert.equal((await browser.get(page)).status, 404);
    assert.equal((await browser.get('/-/layers/shared/2')).status, 200);
  });

  test('the policy of a version is read and changed, unless another user has changed it', async () => {
    await publish('/-/layers', [['layer', 'open']]);
    const page = '/-/layers/open/1';
    assert.match((await browser.get(page)).text, /The policy has no statement/);
    const refused = await send(page, 'add', { id: 'one', principal: '<b>' });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /value="&lt;b&gt;"/);
    assert.equal((await send(page, 'add', { id: 'one', principal: '*' })).status, 303);
    const old = (await browser.get(page)).text;
    assert.match(old, /<h3>one<\/h3>/);
    assert.equal((await send(page, 'add', { id: 'two', principal: '*' })).status, 303);
    const fields = filledForm(old, `${page}/remove`, { statement: 'one' });
    const stale = await browser.post(`${page}/remove`, fields);
    assert.equal(stale.status, 412);
    assert.match(stale.text, /<li>Statement two: \{/);
    assert.equal((await send(page, 'remove', { statement: 'one' })).status, 303);
    assert.doesNotMatch((await browser.get(page)).text, /<h3>one<\/h3>/);
    const none = await send(page, 'remove', { statement: 'one' });
    assert.equal(none.status, 404);
    assert.match(none.text, /role="alert"/);
  });

  test('the configuration of a function offers layers, and applies those that are chosen', async () => {
    for (const layer of ['first', 'second']) await publish('/-/layers', [['layer', layer]]);
    await service.create('layered');
    const arn = (name: string): string => `arn:aws:lambda:us-east-1:123456789012:layer:${name}:1`;
    const page = '/-/functions/layered/configuration';
    const { text } = await browser.get(page);
    assert.match(text, new RegExp(`<option value="${arn('first')}">`));
    const fields = filledForm(text, `${page}/review`);
    assert.equal(fields.getAll('Layers').length, 5);
    fields.delete('Layers');
    for (const value of [arn('second'), '', arn('first'), ' ', '']) fields.append('Layers', value);
    const review = await browser.post(`${page}/review`, fields);
    assert.equal(review.status, 200, review.text);
    const save = filledForm(review.text, `${page}/save`);
    assert.equal((await browser.post(`${page}/save`, save)).status, 303);
    await service.untilProvisioned();
    const { body } = await service.call('GetFunctionConfiguration', { FunctionName: 'layered' });
    assert.deepEqual(
      body.Layers.map(({ Arn }: { Arn: string }) => Arn),
      [arn('second'), arn('first')],
    );
    // What the form shows can be sent as it is.
    const same = (await browser.get(page)).text;
    const unchanged = await browser.post(`${page}/review`, filledForm(same, `${page}/review`));
    assert.match(unchanged.text, /Nothing would change/);
  });
});
