import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { Browser } from 'playwright-core';

import { findChromium, startChromium } from '#web/testing/chromium.ts';

import { commitFiles } from '../../testing/commits.ts';
import { startTestForge, type TestForge } from '../../testing/test-forge.ts';

const chromium = findChromium();
const skip = chromium === undefined && 'no Chromium is installed (apt-get install chromium)';

describe('ranges of lines in a browser', { skip }, () => {
  let forge: TestForge;
  let browser: Browser | undefined;

  before(async () => {
    forge = await startTestForge();
    const owner = await forge.user('ada');
    const name = await forge.repository(owner, { name: 'tools' });
    await commitFiles(forge, name, 'main', { 'a.ts': 'let a;\n'.repeat(300) });
    const server = await forge.listen();
    browser = await startChromium(chromium ?? '', { hostname: 'forge.test', server });
  });
  after(async () => {
    await browser?.close();
    await forge.close();
  });

  for (const kind of ['blob', 'blame']) {
    test(`are named by the fragment, and made by a click with Shift: ${kind}`, async () => {
      const tab = await (browser ?? assert.fail('no browser')).newPage();
      try {
        await tab.goto(`http://forge.test/ada/tools/${kind}/main/a.ts#L200-L202`);
        await tab.waitForSelector('#L202.chosen');
        assert.equal(await tab.locator('.chosen').count(), 3);
        assert.ok(await tab.locator('#L200').isVisible());
        await tab.locator('#L10 > a').click();
        await tab.waitForSelector('#L10.chosen');
        assert.equal(await tab.locator('.chosen').count(), 1);
        await tab.locator('#L8 > a').click({ modifiers: ['Shift'] });
        await tab.waitForSelector('#L9.chosen');
        assert.equal(await tab.locator('.chosen').count(), 3);
        assert.match(tab.url(), /#L10-L8$/);
      } finally {
        await tab.close();
      }
    });
  }
});
