import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { type Browser, filledForm } from '#web/testing/test-browser.ts';

import { createTestConsole, type TestConsole } from '../testing/test-console.ts';
import type { TestResponse } from '../testing/test-functions.ts';

const queue = 'arn:aws:sqs:us-east-1:123456789012:orders';
const folder = 'arn:aws:sqs:us-east-1:123456789012:folder';
const all = '/-/event-source-mappings';

describe('pages of event source mappings', () => {
  let service: TestConsole;
  let browser: Browser<TestResponse>;

  before(async () => {
    service = await createTestConsole({
      configured: {
        targets: new Map([
          [queue, { kind: 'endpoint', url: 'http://127.0.0.1:1' }],
          [folder, { kind: 'folder', folder: '/nowhere' }],
        ]),
      },
    });
    browser = await service.signedIn('ada');
  });
  after(() => service.close());

  async function prepare(name: string): Promise<string> {
    await service.create(name);
    await service.call('PublishVersion', { FunctionName: name });
    await service.call('CreateAlias', { FunctionName: name, Name: 'live', FunctionVersion: '1' });
    return `/-/functions/${name}/event-sources`;
  }

  async function send(
    page: string,
    act: string,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<TestResponse> {
    const { status, text } = await browser.get(page);
    assert.equal(status, 200, text);
    const target = `${page.split('?', 1)[0]}/${act}`;
    return browser.post(target, filledForm(text, target, fields));
  }

  const mappingAt = async (page: string) =>
    (await service.call('GetEventSourceMapping', { UUID: page.slice(all.length + 1) })).body;

  test('one is created for an alias, changed, disabled, enabled and deleted', async () => {
    const at = await prepare('orders');
    assert.match((await browser.get(at)).text, /No queue invokes it/);
    const wrong = await send(`${at}?qualifier=live`, 'create', { batch: 'many', window: '3' });
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /Batch size must be a whole number/);
    assert.match(wrong.text, /value="many"/);
    assert.match(wrong.text, /name="function" value="orders:live"/);
    const unfit = await send(at, 'create', { queue: folder });
    assert.equal(unfit.status, 400);
    assert.match(unfit.text, /cannot be received from/);

    const created = await send(`${at}?qualifier=live`, 'create', { batch: '100', window: '3' });
    assert.equal(created.status, 303, created.text);
    const page = created.headers['location'] ?? '';
    const mapping = await mappingAt(page);
    assert.equal(mapping.FunctionArn.split(':').slice(6).join(':'), 'orders:live');
    assert.equal(mapping.BatchSize, 100);
    assert.equal(mapping.FilterCriteria, undefined);
    assert.match((await browser.get(all)).text, new RegExp(`href="${page}"[^]*orders:live`));
    assert.match((await browser.get(`${at}?qualifier=live`)).text, new RegExp(page));
    assert.match((await browser.get(at)).text, /No queue invokes it/);

    const saved = await send(page, 'update', {
      function: 'orders',
      concurrency: '4',
      filter: '{"body":{"kind":["new"]}}',
      report: 'yes',
    });
    assert.equal(saved.headers['location'], page, saved.text);
    const changed = await mappingAt(page);
    assert.equal(changed.FunctionArn.split(':').slice(6).join(':'), 'orders');
    assert.deepEqual(changed.ScalingConfig, { MaximumConcurrency: 4 });
    assert.deepEqual(changed.FunctionResponseTypes, ['ReportBatchItemFailures']);
    assert.equal(changed.FilterCriteria.Filters[0].Pattern, '{"body":{"kind":["new"]}}');
    await send(page, 'update', { concurrency: '', filter: '' });
    const cleared = await mappingAt(page);
    assert.equal(cleared.ScalingConfig, undefined);
    assert.equal(cleared.FilterCriteria, undefined);

    await send(page, 'disable');
    assert.equal((await mappingAt(page)).State, 'Disabled');
    await send(page, 'enable');
    assert.equal((await mappingAt(page)).State, 'Enabled');
    const asked = await send(page, 'delete');
    assert.match(asked.text, /Delete this event source mapping\?/);
    const gone = await browser.submit(`${page}/delete`);
    assert.equal(gone.headers['location'], all);
    assert.equal((await browser.get(page)).status, 404);
  });

  test('a second one of the same queue and function names the first', async () => {
    await prepare('twice');
    const first = await send(all, 'create', { function: 'twice' });
    assert.equal(first.status, 303, first.text);
    const second = await send(all, 'create', { function: 'twice' });
    assert.equal(second.status, 409);
    assert.match(second.text, new RegExp((first.headers['location'] ?? '').slice(all.length + 1)));
  });

  test('what another user changed is shown, and nothing is lost', async () => {
    await prepare('shared');
    const { headers } = await send(all, 'create', { function: 'shared' });
    const page = headers['location'] ?? '';
    const { text } = await browser.get(page);
    const UUID = page.slice(all.length + 1);
    await service.call('UpdateEventSourceMapping', { UUID, BatchSize: 7 });
    const target = `${page}/update`;
    const refused = await browser.post(target, filledForm(text, target, { concurrency: '5' }));
    assert.equal(refused.status, 412);
    assert.match(refused.text, /<li>Batch size: 7<\/li>/);
    assert.equal((await mappingAt(page)).ScalingConfig, undefined);
    const again = await browser.post(target, filledForm(refused.text, target));
    assert.equal(again.status, 303, again.text);
    const { BatchSize, ScalingConfig } = await mappingAt(page);
    assert.deepEqual(
      { BatchSize, ScalingConfig },
      {
        BatchSize: 7,
        ScalingConfig: { MaximumConcurrency: 5 },
      },
    );
  });

  test('an invented position in the list is refused', async () => {
    const marker = Buffer.from('["x"]').toString('base64url');
    assert.equal((await browser.get(`${all}?marker=${marker}`)).status, 400);
  });
});
