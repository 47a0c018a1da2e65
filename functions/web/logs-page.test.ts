import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { Browser } from '#web/testing/test-browser.ts';

import { openLogStreams, type LogStreams } from '../logs/log-streams.ts';
import { createTestConsole, type TestConsole } from '../testing/test-console.ts';
import type { TestResponse } from '../testing/test-functions.ts';

const minute = 60_000;

describe('the log of a function', () => {
  let service: TestConsole;
  let browser: Browser<TestResponse>;
  let streams: LogStreams;
  const pageUrl = '/-/functions/greet/logs';

  before(async () => {
    service = await createTestConsole();
    browser = await service.signedIn('ada');
    await service.create('greet');
    await service.create('other');
    streams = openLogStreams({
      folder: service.ports.logFolder,
      onError: (error) => assert.fail(String(error)),
    });
  });
  after(async () => {
    await streams.close();
    await service.close();
  });

  async function shown(query = ''): Promise<string> {
    const { status, text } = await browser.get(`${pageUrl}${query}`);
    assert.equal(status, 200, text);
    return text;
  }

  test('says what to do where nothing was logged', async () => {
    const { text } = await browser.get('/-/functions/other/logs');
    assert.match(text, /Nothing was logged in this period/);
  });

  test('shows the lines of a period, of that function, as text', async () => {
    const now = service.clock.now();
    const stream = streams.open('/aws/lambda/greet', 'one');
    stream.append('of yesterday', now - 30 * 60 * minute);
    stream.append('two hours old', now - 120 * minute);
    stream.append('<b>fresh</b>', now - minute);
    stream.append('2026-01-02T03:04:05.678Z\tid\tERROR\tbroken', now - minute);
    streams.open('/aws/lambda/other', 'one').append('of another', now - minute);
    await streams.flushed();
    const recent = await shown();
    assert.match(recent, /&lt;b&gt;fresh/);
    assert.match(recent, /<span class="bad">.*✗ 2026.*broken/);
    assert.doesNotMatch(recent, /two hours old|of yesterday|of another/);
    const longer = await shown('?period=3h');
    assert.match(longer, /two hours old/);
    assert.doesNotMatch(longer, /of yesterday/);
    assert.match(await shown('?period=1w'), /of yesterday/);
    assert.doesNotMatch(await shown('?period=forever'), /two hours old/);
  });

  test('is filtered by a pattern, and says why one is not valid', async () => {
    const lines = await shown('?filter=broken');
    assert.match(lines, /broken/);
    assert.doesNotMatch(lines, /fresh/);
    assert.match(await shown('?filter=absent'), /No line of this period matches/);
    const refused = await browser.get(`${pageUrl}?filter=${encodeURIComponent('%<i>%')}`);
    assert.equal(refused.status, 400);
    assert.match(refused.text, /role="alert">Regular expressions/);
    assert.match(refused.text, /value="%&lt;i&gt;%"/);
  });

  test('is followed only when that is asked for', async () => {
    assert.doesNotMatch(await shown('?filter=broken'), /http-equiv/);
    const followed = await shown('?filter=broken&follow=1');
    assert.match(followed, /<meta http-equiv="refresh" content="2"/);
    assert.match(
      followed,
      /href="\/-\/functions\/greet\/logs\?period=1h&amp;filter=broken"\s*>Stop/,
    );
  });

  test('shows the last 500 lines', async () => {
    const stream = streams.open('/aws/lambda/other', 'many');
    for (let count = 0; count < 600; count += 1) {
      stream.append(`line ${count}.`, service.clock.now() - minute);
    }
    await streams.flushed();
    const { text } = await browser.get('/-/functions/other/logs');
    assert.match(text, /The last 500 lines/);
    assert.match(text, /line 599\./);
    assert.doesNotMatch(text, /line 50\./);
  });
});
