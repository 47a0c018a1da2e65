import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { Browser } from 'playwright-core';

import { findChromium, startChromium } from '#web/testing/chromium.ts';
import { inspectPage } from '#web/testing/inspect-page.ts';

import { consoleHost, createTestConsole, type TestConsole } from '../../testing/test-console.ts';
import { pagePaths } from '../testing/console-paths.ts';
import { type SeededConsole, seedConsole, seededResources } from '../testing/seeded-console.ts';

const chromium = findChromium();
const skip = chromium === undefined && 'no Chromium is installed (apt-get install chromium)';

/** Pages that are open at once. */
const tabs = 2;
const timeout = 580_000;

describe('every page of the console in a browser', { skip }, () => {
  let service: TestConsole;
  let seeded: SeededConsole;
  let browser: Browser;
  let session: string;

  before(async () => {
    service = await createTestConsole({ configured: seededResources });
    seeded = await seedConsole(service);
    session = (await service.signedIn('ada', { siteAdmin: true })).cookies.get('hob_session') ?? '';
    const { host } = new URL(await service.listen());
    browser = await startChromium(chromium ?? '', { hostname: consoleHost, server: host });
  });
  after(async () => {
    await browser?.close();
    await seeded?.release();
    await service?.close();
  });

  test('for a user with an access key', { timeout }, async () => {
    const addresses = [...pagePaths(seeded.names), ...seeded.more, '/-/functions/nowhere'];
    const problems: string[] = [];
    const next = addresses.values();
    const inspectRest = async (): Promise<void> => {
      for (const pageUrl of next) problems.push(...(await problemsOf(pageUrl)));
    };
    await Promise.all(Array.from({ length: tabs }, inspectRest));
    assert.deepEqual(problems.toSorted(), []);
  });

  /** Each in a profile of its own, so that nothing is in a cache. */
  async function problemsOf(pageUrl: string): Promise<string[]> {
    const profile = await browser.newContext();
    try {
      const cookie = { name: 'hob_session', value: session, domain: consoleHost, path: '/' };
      await profile.addCookies([cookie]);
      const seen = await inspectPage(await profile.newPage(), `http://${consoleHost}${pageUrl}`);
      const status = pageUrl.endsWith('/nowhere') ? 404 : 200;
      return [
        ...(seen.status === status ? [] : [`answers ${seen.status}`]),
        ...seen.problems.filter((problem) => status === 200 || !/console: .* 404 /.test(problem)),
      ].map((problem) => `${pageUrl} ${problem}`);
    } finally {
      await profile.close();
    }
  }
});
