import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { Browser } from '#web/testing/test-browser.ts';

import { addInvocationCount } from '../environments/pool/invocation-counts-store.ts';
import { openLogStreams } from '../logs/log-streams.ts';
import { createTestConsole, type TestConsole } from '../testing/test-console.ts';
import type { TestResponse } from '../testing/test-functions.ts';

describe('the list and the overview of functions', () => {
  let service: TestConsole;
  let browser: Browser<TestResponse>;

  before(async () => {
    service = await createTestConsole();
    browser = await service.signedIn('ada');
  });
  after(() => service.close());

  test('an empty list says what to do', async () => {
    const empty = await createTestConsole();
    try {
      const { text } = await (await empty.signedIn('ada')).get('/-/functions');
      assert.match(text, /There is no function yet/);
      assert.match(text, /aws lambda create-function/);
    } finally {
      await empty.close();
    }
  });

  test('the list is searched, and sorted by what happened in the last day', async () => {
    const { database, clock } = service.ports;
    const day = 86_400_000;
    const count = (functionName: string, ago: number, invocations: number, errors: number) => ({
      functionName,
      beginning: clock.now() - ago,
      invocations,
      errors,
      throttles: 0,
      concurrency: 1,
    });
    for (const name of ['found-b', 'Found-a', 'found-c', 'other']) await service.create(name);
    await database.write(async (sql) => {
      await addInvocationCount(sql, count('found-b', 60_000, 3, 1));
      await addInvocationCount(sql, count('found-b', 60_000, 2, 1));
      await addInvocationCount(sql, count('found-c', 60_000, 9, 0));
      await addInvocationCount(sql, count('Found-a', 2 * day, 90, 90));
    });
    const listed = async (query: string): Promise<string[]> => {
      const { status, text } = await browser.get(`/-/functions?${query}`);
      assert.equal(status, 200, text);
      return [...text.matchAll(/<a href="\/-\/functions\/([\w-]+)">/g)].map(
        ([, name = '']) => name,
      );
    };
    assert.deepEqual(await listed('q=FOUND&sort=invocations'), ['found-c', 'found-b', 'Found-a']);
    assert.deepEqual(await listed('q=FOUND&sort=errors'), ['found-b', 'Found-a', 'found-c']);
    assert.deepEqual((await listed('q=found&sort=anything')).toSorted(), [
      'Found-a',
      'found-b',
      'found-c',
    ]);
    assert.deepEqual(await listed('q=%25'), []);
    const { text } = await browser.get('/-/functions?q=found-b');
    assert.match(text, /5 invocations,\s*<strong>2 errors<\/strong>/);
    assert.match((await browser.get('/-/functions?q=Found-a')).text, /0 invocations,\s*no errors/);
    assert.match((await browser.get('/-/functions?q=none')).text, /No function is found/);
  });

  test('the list leads to all functions, fifty a page', async () => {
    for (let count = 0; count <= 50; count += 1) {
      await service.create(`many-${String(count).padStart(2, '0')}`);
    }
    const first = await browser.get('/-/functions');
    assert.match(first.text, /href="\/-\/functions\/many-00">many-00/);
    assert.doesNotMatch(first.text, /many-50/);
    const [, next = ''] = /href="(\/-\/functions\?[^"]+page=2)"/.exec(first.text) ?? [];
    assert.match((await browser.get(next.replaceAll('&amp;', '&'))).text, /many-50/);
  });

  test('the overview shows the configuration, the code and the tags', async () => {
    await service.create('shown', {
      MemorySize: 256,
      Tags: { team: 'blue' },
      Environment: { Variables: { TOKEN: 'secret-value' } },
    });
    await service.call('PutFunctionConcurrency', {
      FunctionName: 'shown',
      ReservedConcurrentExecutions: 7,
    });
    const { text } = await browser.get('/-/functions/shown');
    for (const said of [
      '256 MB',
      'index.handler',
      'nodejs24.x',
      'TOKEN',
      'team',
      'blue',
      '✓ Active',
    ]) {
      assert.ok(text.includes(said), said);
    }
    assert.match(text, /Reserved concurrency<\/dt>\s*<dd>7</);
    assert.doesNotMatch(text, /secret-value|http-equiv/);
  });

  test('an update is shown as it runs, and why it failed', async () => {
    await service.create('changed');
    const release = service.environments.holdStarts();
    await service.call('UpdateFunctionConfiguration', { FunctionName: 'changed', MemorySize: 512 });
    const running = await browser.get('/-/functions/changed');
    assert.match(running.text, /Update in progress/);
    assert.match(running.text, /http-equiv="refresh"/);
    service.environments.failStarts({
      code: 'FunctionError.RuntimeInitError',
      text: 'The <program> ended.',
    });
    const streams = openLogStreams({
      folder: service.ports.logFolder,
      onError: (error) => assert.fail(String(error)),
    });
    const stream = streams.open('/aws/lambda/changed', 'one');
    stream.append('an earlier line', service.clock.now() - 1);
    stream.append('Error: no <module>', service.clock.now() + 1);
    await streams.flushed();
    release();
    await service.untilProvisioned();
    const failed = await browser.get('/-/functions/changed');
    assert.match(failed.text, /previous configuration still serves/);
    assert.match(failed.text, /The &lt;program&gt; ended\./);
    assert.match(failed.text, /Error: no &lt;module&gt;/);
    assert.doesNotMatch(failed.text, /http-equiv|an earlier line/);
    await streams.close();
    service.environments.failStarts(undefined);
  });
});
