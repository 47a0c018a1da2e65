import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { type Browser, filledForm } from '#web/testing/test-browser.ts';

import { createTestConsole, type TestConsole } from '../testing/test-console.ts';
import type { TestResponse } from '../testing/test-functions.ts';

describe('the configuration of a function', () => {
  let service: TestConsole;
  let browser: Browser<TestResponse>;
  let name: string;
  let pageUrl: string;
  let count = 0;

  before(async () => {
    service = await createTestConsole();
    browser = await service.signedIn('ada');
  });
  after(() => service.close());

  async function open(given: Readonly<Record<string, unknown>> = {}): Promise<TestResponse> {
    count += 1;
    name = `configured-${count}`;
    pageUrl = `/-/functions/${name}/configuration`;
    await service.create(name, { Description: 'first', ...given });
    return reopen();
  }

  async function reopen(): Promise<TestResponse> {
    const page = await browser.get(pageUrl);
    assert.equal(page.status, 200, page.text);
    return page;
  }

  const filled = (page: TestResponse, changed: Readonly<Record<string, string>>): URLSearchParams =>
    filledForm(page.text, `${pageUrl}/review`, changed);

  const confirmed = (review: TestResponse): Promise<TestResponse> =>
    browser.post(`${pageUrl}/save`, filledForm(review.text, `${pageUrl}/save`));

  const current = async (): Promise<Record<string, unknown>> =>
    (await service.call('GetFunctionConfiguration', { FunctionName: name })).body;

  test('shows what is configured, and that nothing would change', async () => {
    const page = await open({
      MemorySize: 256,
      Environment: { Variables: { GREETING: 'a "quoted"\nline' } },
    });
    assert.match(page.text, /name="MemorySize"\s+value="256"/);
    assert.match(
      page.text,
      /aria-label="Value of variable GREETING"[^>]*>\na &quot;quoted&quot;\nline</,
    );
    const { status, text } = await browser.post(`${pageUrl}/review`, filled(page, {}));
    assert.equal(status, 400);
    assert.match(text, /Nothing would change/);
  });

  test('refuses what is no number, and keeps what was filled in', async () => {
    const page = await open();
    const { status, text } = await browser.post(
      `${pageUrl}/review`,
      filled(page, { MemorySize: 'much', Description: '<b>' }),
    );
    assert.equal(status, 400);
    assert.match(text, /Memory \(MB\) must be a whole number/);
    assert.match(text, /name="Description"\s+value="&lt;b&gt;"/);
    assert.match(text, /name="MemorySize"\s+value="much"/);
  });

  test('shows what would change, changes it when that is confirmed, and nothing before', async () => {
    const page = await open({ Environment: { Variables: { OLD: 'secret-1', SAME: 'x' } } });
    const fields = filled(page, { MemorySize: '512', Description: 'second' });
    fields.delete('variable_name');
    fields.delete('variable_value');
    for (const [variable, value] of [
      ['SAME', 'y'],
      ['NEW', 'secret-2'],
      ['', ''],
    ] as const) {
      fields.append('variable_name', variable);
      fields.append('variable_value', value);
    }
    const review = await browser.post(`${pageUrl}/review`, fields);
    assert.equal(review.status, 200, review.text);
    assert.match(review.text, /<del>128<\/del> →\s+<ins>512<\/ins>/);
    assert.match(review.text, /variable OLD<\/span>\s*<span\s*><del>set<\/del> →\s+<ins>not set/);
    assert.match(
      review.text,
      /variable SAME<\/span>\s*<span\s*><del>set<\/del> →\s+<ins>set to another/,
    );
    assert.doesNotMatch(review.text, /Timeout<\/span>/);
    assert.equal((await current())['MemorySize'], 128);
    const again = filledForm(review.text, `${pageUrl}/save`);
    const edit = await browser.post(`${pageUrl}/edit`, again);
    assert.match(edit.text, /name="MemorySize"\s+value="512"/);
    await browser.post(`${pageUrl}/review`, fields);
    const saved = await confirmed(review);
    assert.equal(saved.status, 303, saved.text);
    assert.equal(saved.headers['location'], `/-/functions/${name}`);
    await service.untilProvisioned();
    const { MemorySize, Description, Environment } = await current();
    assert.deepEqual(
      { MemorySize, Description, Environment },
      {
        MemorySize: 512,
        Description: 'second',
        Environment: { Variables: { SAME: 'y', NEW: 'secret-2' } },
      },
    );
  });

  test('takes variables that are named as members of every object', async () => {
    const page = await open({ Environment: { Variables: { SAME: 'x' } } });
    const fields = filled(page, {});
    for (const variable of ['constructor', 'toString', 'valueOf']) {
      fields.append('variable_name', variable);
      fields.append('variable_value', variable.length.toString());
    }
    const review = await browser.post(`${pageUrl}/review`, fields);
    assert.equal(review.status, 200, review.text);
    assert.match(review.text, /variable constructor<\/span>\s*<span\s*><del>not set<\/del>/);
    await service.call('UpdateFunctionConfiguration', { FunctionName: name, Timeout: 7 });
    await service.untilProvisioned();
    const refused = await confirmed(review);
    assert.equal(refused.status, 412);
    const next = await browser.post(`${pageUrl}/review`, filled(refused, {}));
    assert.equal((await confirmed(next)).status, 303);
    await service.untilProvisioned();
    assert.deepEqual((await current())['Environment'], {
      Variables: { SAME: 'x', constructor: '11', toString: '8', valueOf: '7' },
    });
  });

  test('sends only what differs, so that a value with CR LF stays as it is', async () => {
    const page = await open({ Environment: { Variables: { LINES: 'a\r\nb' } } });
    const fields = filled(page, { Timeout: '9' });
    const review = await browser.post(`${pageUrl}/review`, fields);
    assert.doesNotMatch(review.text, /variable LINES<\/span>/);
    assert.equal((await confirmed(review)).status, 303);
    await service.untilProvisioned();
    const { Timeout, Environment } = await current();
    assert.deepEqual([Timeout, Environment], [9, { Variables: { LINES: 'a\r\nb' } }]);
  });

  test('shows what another user has changed meanwhile, and applies the user’s change to it', async () => {
    const page = await open({ Environment: { Variables: { MINE: 'a', THEIRS: 'a' } } });
    const review = await browser.post(`${pageUrl}/review`, filled(page, { MemorySize: '512' }));
    await service.call('UpdateFunctionConfiguration', {
      FunctionName: name,
      Timeout: 30,
      Environment: { Variables: { MINE: 'a', THEIRS: 'b' } },
    });
    await service.untilProvisioned();
    const refused = await confirmed(review);
    assert.equal(refused.status, 412, refused.text);
    assert.match(refused.text, /was changed after this form was opened/);
    assert.match(refused.text, /<li>Timeout \(seconds\): 30<\/li>/);
    assert.match(refused.text, /<li>Environment variable THEIRS<\/li>/);
    assert.doesNotMatch(refused.text, /<li>(?:Memory|Environment variable MINE)/);
    assert.match(refused.text, /name="Timeout"\s+value="30"/);
    assert.match(refused.text, /name="MemorySize"\s+value="512"/);
    assert.equal((await current())['MemorySize'], 128);
    const next = await browser.post(`${pageUrl}/review`, filled(refused, {}));
    assert.match(next.text, /<ins>512<\/ins>/);
    assert.equal((await confirmed(next)).status, 303);
    await service.untilProvisioned();
    const { MemorySize, Timeout, Environment } = await current();
    assert.deepEqual(
      [MemorySize, Timeout, Environment],
      [512, 30, { Variables: { MINE: 'a', THEIRS: 'b' } }],
    );
  });

  test('is not saved while another update is in progress', async () => {
    await open();
    const release = service.environments.holdStarts();
    await service.call('UpdateFunctionConfiguration', { FunctionName: name, Timeout: 5 });
    const page = await reopen();
    const review = await browser.post(`${pageUrl}/review`, filled(page, { MemorySize: '256' }));
    const refused = await confirmed(review);
    assert.equal(refused.status, 409, refused.text);
    assert.match(refused.text, /An update is in progress/);
    assert.match(refused.text, /name="MemorySize"\s+value="256"/);
    release();
    await service.untilProvisioned();
  });

  test('the service’s own refusal is the form again', async () => {
    const page = await open();
    const review = await browser.post(`${pageUrl}/review`, filled(page, { MemorySize: '99999' }));
    const refused = await confirmed(review);
    assert.equal(refused.status, 400, refused.text);
    assert.match(refused.text, /99999/);
    assert.match(refused.text, /ValidationException|InvalidParameterValueException/);
    assert.match(refused.text, /name="MemorySize"\s+value="99999"/);
  });

  test('takes no form as its own that has another base', async () => {
    const page = await open();
    for (const base of ['', 'null', '[]', '{"values":1}', '{"values":{"MemorySize":5}}']) {
      const fields = filled(page, { MemorySize: '256' });
      fields.set('base', base);
      fields.set('revision', 'other');
      const { status } = await browser.post(`${pageUrl}/review`, fields);
      assert.equal(status, 412, base);
    }
  });
});
