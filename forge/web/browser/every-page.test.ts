import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { Browser } from 'playwright-core';

import { findChromium, startChromium } from '#web/testing/chromium.ts';
import { inspectPage } from '#web/testing/inspect-page.ts';

import { startTestForge, type TestForge } from '../../testing/test-forge.ts';
import { seedSite, type SeededSite } from '../testing/seeded-site.ts';
import { type Sample, samplePaths } from '../testing/sample-paths.ts';

const chromium = findChromium();
const skip = chromium === undefined && 'no Chromium is installed (apt-get install chromium)';

/** Pages that are open at once. */
const tabs = 2;
/** Half a minute where nothing else runs. */
const timeout = 580_000;

describe('every page in a browser', { skip }, () => {
  let forge: TestForge;
  let browser: Browser | undefined;
  let site: SeededSite;

  before(async () => {
    forge = await startTestForge({ webhookPrivateTargets: true });
    site = await seedSite(forge);
    const server = await forge.listen();
    browser = await startChromium(chromium ?? '', { hostname: 'forge.test', server });
  });
  after(async () => {
    await browser?.close();
    await forge.close();
  });

  for (const signedIn of [true, false]) {
    test(`for ${signedIn ? 'a signed-in user' : 'a visitor'}`, { timeout }, async () => {
      const samples = Object.values(samplePaths(site))
        .flat()
        .filter((sample) => signedIn || sample.visitors === true);
      const problems: string[] = [];
      const next = samples.values();
      const inspectRest = async (): Promise<void> => {
        for (const sample of next) problems.push(...(await problemsOf(sample, signedIn)));
      };
      await Promise.all(Array.from({ length: tabs }, inspectRest));
      assert.deepEqual(problems.toSorted(), []);
    });
  }

  /** Each in a profile of its own, so that nothing is in a cache. */
  async function problemsOf({ pageUrl, status }: Sample, signedIn: boolean): Promise<string[]> {
    const profile = await (browser ?? assert.fail('no browser')).newContext();
    try {
      if (signedIn) {
        await profile.addCookies([{ ...site.sessionCookie, domain: 'forge.test', path: '/' }]);
      }
      const seen = await inspectPage(await profile.newPage(), `http://forge.test${pageUrl}`);
      return [
        ...(seen.status === (status ?? 200) ? [] : [`answers ${seen.status}`]),
        ...(seen.contentType.startsWith('text/html') ? [] : [`is ${seen.contentType}`]),
        ...seen.problems,
      ].map((problem) => `${pageUrl} ${problem}`);
    } finally {
      await profile.close();
    }
  }
});
