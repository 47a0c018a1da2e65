import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { type Browser, filledForm } from '#web/testing/test-browser.ts';

import { createTestConsole, type TestConsole } from '../testing/test-console.ts';
import type { TestResponse } from '../testing/test-functions.ts';

describe('the test of a function', () => {
  let service: TestConsole;
  let browser: Browser<TestResponse>;
  const pageUrl = '/-/functions/greet/test';

  before(async () => {
    service = await createTestConsole();
    browser = await service.signedIn('ada');
    await service.create('greet');
  });
  after(() => service.close());

  async function invoke(fields: Readonly<Record<string, string>>): Promise<TestResponse> {
    const page = await browser.get(pageUrl);
    assert.equal(page.status, 200, page.text);
    return browser.submit(`${pageUrl}/invoke`, fields);
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
      const { text } = await browser.get(`${pageUrl}?template=${title}`);
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
    const page = await browser.get(pageUrl);
    assert.match(page.text, /<option value="live"/);
    const { text } = await invoke({ event: '{}', qualifier: 'live' });
    assert.match(text, /Executed version<\/dt>\s*<dd>1</);
    assert.match(text, /<option value="live" selected>/);
  });

  describe('saved events', () => {
    const open = async (query = ''): Promise<string> =>
      (await browser.get(`${pageUrl}${query}`)).text;

    async function save(
      event_name: string,
      event: string,
      { page }: { page?: string } = {},
    ): Promise<TestResponse> {
      const text = page ?? (await open());
      const target = `${pageUrl}/save`;
      const fields = filledForm(text, `${pageUrl}/invoke`, { event_name, event });
      return browser.post(target, fields);
    }

    test('are refused without a proper name, as something else than JSON, and too large', async () => {
      for (const [name, event, problem] of [
        ['', '{}', /name of a test event/],
        ['a/b', '{}', /name of a test event/],
        ['x'.repeat(65), '{}', /name of a test event/],
        ['a\0b', '{}', /name of a test event/],
        ['good', '"\0"', /not JSON/],
        ['good', '{"<b>', /not JSON/],
        ['good', JSON.stringify('x'.repeat(256 * 1024)), /at most 262144 bytes/],
      ] as const) {
        const { status, text } = await save(name, event);
        assert.equal(status, 400, name);
        assert.match(text, problem);
      }
      for (const name of ['%00', '..%2F', 'constructor']) {
        assert.match(await open(`?saved=${name}`), /&quot;key1&quot;: &quot;value1&quot;/);
      }
      assert.match((await save('good', '{"<b>')).text, /<textarea[^>]*>\n\{&quot;&lt;b&gt;/);
      assert.match(await open(), /No event is saved/);
    });

    test('are shared, opened, replaced by those who have seen them, and deleted', async () => {
      const saved = await save('order', '{\r\n"n": 1}');
      assert.equal(saved.headers['location'], `${pageUrl}?saved=order`);
      const shown = await open('?saved=order');
      assert.match(shown, /<textarea[^>]*>\n\{\n&quot;n&quot;: 1\}<\/textarea/);
      const other = await service.signedIn('bob');
      assert.match((await other.get(pageUrl)).text, /\?saved=order"\s*>order</);
      // Bob has not opened it.
      const text = (await other.get(pageUrl)).text;
      const blind = filledForm(text, `${pageUrl}/invoke`, { event_name: 'order', event: '2' });
      const refused = await other.post(`${pageUrl}/save`, blind);
      assert.equal(refused.status, 409);
      assert.match(refused.text, /exists with other content/);
      const again = filledForm(refused.text, `${pageUrl}/invoke`);
      assert.equal(again.get('event'), '2');
      assert.equal((await other.post(`${pageUrl}/save`, again)).status, 303);
      // Now Ada's page is the old one.
      assert.equal((await save('order', '3', { page: shown })).status, 409);
      assert.match(await open('?saved=order'), /<textarea[^>]*>\n2<\/textarea/);

      const target = `${pageUrl}/delete`;
      const asked = await browser.post(target, filledForm(await open('?saved=order'), target));
      assert.match(asked.text, /Delete the test event order of greet\?/);
      assert.equal((await browser.post(target, filledForm(asked.text, target))).status, 303);
      assert.match(await open('?saved=order'), /No event is saved/);
    });

    test('are invoked, and stay chosen', async () => {
      await save('order', '{"n":1}');
      const page = await open('?saved=order');
      const { text } = await browser.post(
        `${pageUrl}/invoke`,
        filledForm(page, `${pageUrl}/invoke`),
      );
      assert.match(text, /✓ Succeeded/);
      assert.match(text, /aria-current="true"\s*>order/);
      const last = service.environments.invoked.at(-1);
      assert.equal(Buffer.from(last?.event.payload ?? '').toString(), '{"n":1}');
    });

    test('are ten at most, and end with their function', async () => {
      await service.create('many');
      const page = '/-/functions/many/test';
      const add = async (event_name: string): Promise<TestResponse> => {
        const { text } = await browser.get(page);
        const fields = filledForm(text, `${page}/invoke`, { event_name, event: '{}' });
        return browser.post(`${page}/save`, fields);
      };
      for (let count = 0; count < 10; count += 1) {
        assert.equal((await add(`event-${count}`)).status, 303);
      }
      assert.equal((await add('one-more')).status, 400);
      assert.equal((await add('event-3')).status, 303);
      await service.call('DeleteFunction', { FunctionName: 'many' });
      await service.create('many');
      assert.match((await browser.get(page)).text, /No event is saved/);
    });
  });
});
