import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { Browser } from '#web/testing/test-browser.ts';

import { createTestConsole, type TestConsole } from '../testing/test-console.ts';
import type { TestAnswer } from '../testing/test-functions.ts';

describe('the test of a function', () => {
  let service: TestConsole;
  let browser: Browser<TestAnswer>;
  const address = '/-/functions/greet/test';

  before(async () => {
    service = await createTestConsole();
    browser = await service.signedIn('ada');
    await service.create('greet');
  });
  after(() => service.close());

  async function invoke(fields: Readonly<Record<string, string>>): Promise<TestAnswer> {
    const page = await browser.get(address);
    assert.equal(page.status, 200, page.text);
    return browser.submit(`${address}/invoke`, fields);
  }

  test('an event that is no JSON is refused, and stays in the form', async () => {
    const invokedBefore = service.environments.invoked.length;
    const { status, text } = await invoke({ event: '{"<b>' });
    assert.equal(status, 400);
    assert.match(text, /role="alert">Could not parse/);
    assert.match(text, /<textarea[^>]*>\n\{&quot;&lt;b&gt;<\/textarea/);
    assert.equal(service.environments.invoked.length, invokedBefore);
  });

  test('a version that does not exist is refused on the page', async () => {
    const { status, text } = await invoke({ event: '{}', qualifier: '99' });
    assert.equal(status, 404);
    assert.match(text, /Function not found.*greet:99/);
    assert.match(text, /<h2>Test event<\/h2>/);
  });

  test('the response, the log and the report of the invocation are shown', async () => {
    const { status, text } = await invoke({ event: '{"name":"<Ada>"}' });
    assert.equal(status, 200);
    assert.match(text, /✓ Succeeded/);
    assert.match(text, /\{\n {2}&quot;name&quot;: &quot;&lt;Ada&gt;&quot;\n\}/);
    assert.match(text, /the log/);
    const last = service.environments.invoked.at(-1);
    assert.equal(Buffer.from(last?.event.payload ?? '').toString(), '{"name":"<Ada>"}');
  });

  test('a failure is called one', async () => {
    service.environments.answer(() => ({
      kind: 'failed',
      errorType: 'TypeError',
      payload: Buffer.from('{"errorMessage":"bad <input>"}'),
    }));
    const { status, text } = await invoke({ event: '{}' });
    assert.equal(status, 200);
    assert.match(text, /✗ Failed \(Unhandled\)/);
    assert.match(text, /bad &lt;input&gt;/);
    service.environments.answer(({ payload }) => ({ kind: 'response', payload }));
  });

  test('long and binary responses are not written out', async () => {
    service.environments.answer(() => ({
      kind: 'response',
      payload: Buffer.from(JSON.stringify('x'.repeat(70_000))),
    }));
    assert.match((await invoke({ event: '{}' })).text, /the rest is not shown/);
    service.environments.answer(() => ({ kind: 'response', payload: Buffer.from([0, 1, 2]) }));
    assert.match((await invoke({ event: '{}' })).text, /binary: 3 bytes/);
    service.environments.answer(({ payload }) => ({ kind: 'response', payload }));
  });

  test('events are enqueued, and a dry run invokes nothing', async () => {
    const invokedBefore = service.environments.invoked.length;
    assert.match((await invoke({ event: '{}', type: 'Event' })).text, /The event is enqueued/);
    assert.match((await invoke({ event: '{}', type: 'DryRun' })).text, /would be accepted/);
    assert.equal(service.environments.invoked.length, invokedBefore);
  });

  test('a template that does not exist is the first one', async () => {
    for (const title of ['nothing', 'constructor', '__proto__']) {
      const { text } = await browser.get(`${address}?template=${title}`);
      assert.match(text, /&quot;key1&quot;: &quot;value1&quot;/, title);
    }
  });

  test('an alias can be chosen', async () => {
    await service.call('PublishVersion', { FunctionName: 'greet' });
    await service.call('CreateAlias', {
      FunctionName: 'greet',
      Name: 'live',
      FunctionVersion: '1',
    });
    const page = await browser.get(address);
    assert.match(page.text, /<option value="live"/);
    const { text } = await invoke({ event: '{}', qualifier: 'live' });
    assert.match(text, /Executed version<\/dt>\s*<dd>1</);
    assert.match(text, /<option value="live" selected>/);
  });
});
