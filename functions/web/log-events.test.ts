import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { Browser } from '#web/testing/test-browser.ts';

import { openLogStreams, type LogStreams } from '../logs/log-streams.ts';
import { createTestConsole, type TestConsole } from '../testing/test-console.ts';
import type { TestResponse } from '../testing/test-functions.ts';

describe('a log that is followed by a script', () => {
  let service: TestConsole;
  let browser: Browser<TestResponse>;
  let streams: LogStreams;
  let origin: string;

  before(async () => {
    service = await createTestConsole();
    browser = await service.signedIn('ada');
    await service.create('greet');
    origin = await service.listen();
    streams = openLogStreams({
      folder: service.ports.logFolder,
      onError: (error) => assert.fail(String(error)),
    });
  });
  after(async () => {
    await streams.close();
    await service.close();
  });

  /** The stream as a browser opens it. */
  async function open(
    query = '',
    { by = browser, lastEventId }: { by?: Browser<TestResponse>; lastEventId?: string } = {},
  ) {
    const leave = new AbortController();
    const response = await fetch(`${origin}/-/functions/greet/logs/events${query}`, {
      redirect: 'manual',
      signal: leave.signal,
      headers: {
        cookie: [...by.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      },
    });
    let text = '';
    const chunks = response.body?.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
    return {
      response,
      leave: () => leave.abort(),
      /** Everything until this has come, or until the end. */
      async until(expected: RegExp): Promise<string> {
        while (!expected.test(text)) {
          const chunk = await chunks?.next();
          if (!chunk || chunk.done) return text;
          text += chunk.value;
        }
        return text;
      },
    };
  }

  const append = async (text: string, at = service.clock.now()): Promise<void> => {
    streams.open('/aws/lambda/greet', 'one').append(text, at);
    await streams.flushed();
  };

  test('new lines are events of markup, and a browser that comes back misses none and gets none twice', async () => {
    const at = service.clock.now() + 1000;
    await append('of before', at - 2000);
    const first = await open();
    assert.equal(first.response.status, 200);
    assert.equal(first.response.headers.get('content-type'), 'text/event-stream');
    assert.equal(first.response.headers.get('cache-control'), 'no-store');
    assert.equal(first.response.headers.get('x-content-type-options'), 'nosniff');
    assert.match(first.response.headers.get('content-security-policy') ?? '', /; sandbox$/);
    await first.until(/: open/);
    await append('one <b>', at);
    await append('two', at);
    const seen = await first.until(/two/);
    assert.match(seen, /data: <span>.*one &lt;b&gt;<\/span>/);
    assert.doesNotMatch(seen, /of before|<b>/);
    const [lastEventId = ''] = /(?<=id: )\d+\.1$/m.exec(seen) ?? [];
    first.leave();
    await append('three', at);
    const second = await open('', { lastEventId });
    const rest = await second.until(/three/);
    assert.doesNotMatch(rest, /one/);
    assert.match(rest, /two[^]*three/);
    second.leave();
  });

  test('the page names where its last line ends', async () => {
    const at = service.clock.now() + 5000;
    await append('shown <i>', at);
    service.clock.advance(6000);
    const page = await browser.get('/-/functions/greet/logs?follow=1&filter=shown');
    const [, events = ''] = /data-follow="([^"]*)"/.exec(page.text) ?? [];
    const query = events.slice(events.indexOf('?')).replaceAll('&amp;', '&');
    const stream = await open(query);
    await stream.until(/: open/);
    await append('left out', at);
    await append('shown next', at);
    const text = await stream.until(/shown next/);
    assert.doesNotMatch(text, /left out|<i>|&lt;i/);
    stream.leave();
    assert.match(
      page.headers['content-security-policy'] ?? '',
      /script-src 'self'; connect-src 'self';/,
    );
  });

  test('is refused to anonymous users, without an access key, and for what is no filter', async () => {
    const guest = await service.signedIn('guest', { accessKey: false });
    for (const by of [service.anonymous(), guest]) {
      const { response } = await open('', { by });
      assert.equal(response.status, 403);
    }
    const { response } = await open('?filter=%7B');
    assert.equal(response.status, 400);
    const missing = await browser.get('/-/functions/nowhere/logs/events');
    assert.equal(missing.status, 404);
  });

  test(
    'no user takes the slots of others: of a user’s four streams, those that were left and HEAD do not count',
    { timeout: 120_000 },
    async () => {
      const many = await service.signedIn('many');
      const cookie = [...many.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const pageUrl = `${origin}/-/functions/greet/logs/events`;
      for (let count = 0; count < 5; count += 1) {
        const head = await fetch(pageUrl, { method: 'HEAD', headers: { cookie } });
        assert.equal(head.status, 404);
      }
      const four = await Promise.all(Array.from({ length: 4 }, () => open('', { by: many })));
      for (const stream of four) await stream.until(/: open/);
      const fifth = await open('', { by: many });
      assert.equal(fifth.response.status, 429);
      assert.match(await fifth.until(/Close one/), /4 of them yours/);
      const other = await open();
      assert.equal(other.response.status, 200);
      other.leave();
      four[0]?.leave();
      // The server hears of it some time later.
      for (;;) {
        const again = await open('', { by: many });
        const { status } = again.response;
        if (status === 200) {
          again.leave();
          break;
        }
        assert.equal(status, 429);
        await again.until(/Close one/);
      }
      for (const stream of four) stream.leave();
    },
  );

  test('ends for a browser that signs out, and for all when the server stops', async () => {
    const leaving = await service.signedIn('leaving');
    const ended = await open('', { by: leaving });
    await ended.until(/: open/);
    service.signOut(leaving);
    assert.doesNotMatch(await ended.until(/nothing says this/), /alive/);
    const last = await open();
    await last.until(/: open/);
    service.beginStop();
    await last.until(/nothing says this/);
  });
});
