import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { Browser, Page } from 'playwright-core';

import { findChromium, startChromium } from '#web/testing/chromium.ts';

import { signedInBrowser } from '../../testing/test-browser.ts';
import { startTestForge, type TestForge } from '../../testing/test-forge.ts';

const chromium = findChromium();
const skip = chromium === undefined && 'no Chromium is installed (apt-get install chromium)';

describe('keyboard shortcuts in a browser', { skip }, () => {
  let forge: TestForge;
  let browser: Browser | undefined;
  let session: string;

  before(async () => {
    forge = await startTestForge();
    const owner = await forge.user('ada');
    await forge.repository(owner, { name: 'tools', init: true });
    session = (await signedInBrowser(forge, 'ada')).cookies.get('hob_session') ?? '';
    const server = await forge.listen();
    browser = await startChromium(chromium ?? '', { hostname: 'forge.test', server });
  });
  after(async () => {
    await browser?.close();
    await forge.close();
  });

  async function opened(
    path: string,
    cookies: Readonly<Record<string, string>>,
    look: (page: Page) => Promise<void>,
  ): Promise<void> {
    const profile = await (browser ?? assert.fail('no browser')).newContext();
    try {
      const domain = { domain: 'forge.test', path: '/' };
      await profile.addCookies(
        Object.entries(cookies).map(([name, value]) => ({ name, value, ...domain })),
      );
      const page = await profile.newPage();
      await page.goto(`http://forge.test${path}`);
      await look(page);
    } finally {
      await profile.close();
    }
  }

  test('lead to what the page links to, and to its search', async () => {
    await opened('/ada/tools', { hob_session: session }, async (page) => {
      await page.keyboard.press('g');
      await page.keyboard.press('i');
      await page.waitForURL('**/ada/tools/issues');
      await page.keyboard.press('/');
      assert.equal(await page.evaluate('document.activeElement.name'), 'q');
      // What is typed is text.
      await page.keyboard.type('g p');
      assert.match(String(await page.evaluate('document.activeElement.value')), /g p$/);
      await page.keyboard.press('Tab');
      await page.keyboard.press('g');
      await page.keyboard.press('n');
      await page.waitForURL('**/-/notifications');
    });
  });

  test('are listed in a dialog that Escape closes', async () => {
    await opened(
      '/ada/tools/blob/main/README.md?plain=1',
      { hob_session: session },
      async (page) => {
        await page.keyboard.press('?');
        const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
        await dialog.waitFor();
        assert.match((await dialog.textContent()) ?? '', /g n Notifications/);
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
      },
    );
  });

  test('are off for visitors, and where the user has turned them off', async () => {
    for (const cookies of [{}, { hob_session: session, hob_shortcuts: 'off' }]) {
      await opened('/ada/tools/blob/main/README.md?plain=1', cookies, async (page) => {
        await page.keyboard.press('?');
        assert.equal(await page.locator('dialog').count(), 0);
        assert.equal(await page.locator('html[data-shortcuts]').count(), 0);
      });
    }
  });
});
