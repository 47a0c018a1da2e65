import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { Browser } from '#web/testing/test-browser.ts';

import { addInvocationCount } from '../environments/pool/invocation-counts-store.ts';
import { openLogStreams } from '../logs/log-streams.ts';
import { createTestConsole, type TestConsole } from '../testing/test-console.ts';
import type { TestResponse } from '../testing/test-functions.ts';

describe('charts of what happened', () => {
  let service: TestConsole;
  let browser: Browser<TestResponse>;

  before(async () => {
    service = await createTestConsole();
    browser = await service.signedIn('ada');
    await service.create('charted');
    await service.create('quiet');
  });
  after(() => service.close());

  test('where nothing was reported, the page says so and draws nothing', async () => {
    const { text } = await browser.get('/-/functions/quiet/monitor');
    assert.match(text, /Nothing was invoked in this period/);
    assert.doesNotMatch(text, /<svg\s+class|<table/);
  });

  test('reports of a period are drawn, and listed as figures', async () => {
    const streams = openLogStreams({
      folder: service.ports.logFolder,
      onError: (error) => assert.fail(String(error)),
    });
    const stream = streams.open('/aws/lambda/charted', 'one');
    const now = service.clock.now();
    const report = (duration: string, rest = ''): string =>
      `REPORT RequestId: 8f5\tDuration: ${duration} ms\tBilled Duration: 13 ms\tMemory Size: 256 MB\tMax Memory Used: 40 MB\t${rest}`;
    stream.append(report('99.50'), now - 2 * 3_600_000);
    stream.append('REPORT of the program', now - 60_000);
    stream.append(report('10.00', 'Init Duration: 5.00 ms\t'), now - 60_000);
    stream.append(report('3000.00', 'Status: timeout'), now - 60_000);
    await streams.flushed();
    await service.ports.database.write((sql) =>
      addInvocationCount(sql, {
        functionName: 'charted',
        beginning: now - 600_000,
        invocations: 8,
        errors: 3,
        throttles: 2,
        concurrency: 4,
      }),
    );
    const hour = (await browser.get('/-/functions/charted/monitor')).text;
    assert.match(hour, /aria-label="Duration, 99th percentile: at most 3000 ms"/);
    const all = (text: string): string[] =>
      [
        ...(/<th scope="row">All<\/th>([^]*?)<\/tr>/
          .exec(text)?.[1]
          ?.matchAll(/<td>(.*?)<\/td>/g) ?? []),
      ].map(([, cell = '']) => cell);
    assert.match(hour, /aria-label="Concurrent invocations: at most 4"/);
    assert.deepEqual(all(hour), ['8', '3', '2', '4', '1', '1', '10', '3000', '3000', '40']);
    const longer = (await browser.get('/-/functions/charted/monitor?period=3h')).text;
    assert.deepEqual(all(longer), ['8', '3', '2', '4', '1', '1', '99.5', '3000', '3000', '40']);
    await streams.close();
  });
});
