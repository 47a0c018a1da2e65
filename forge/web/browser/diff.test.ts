import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { Browser, Page } from 'playwright-core';

import { findChromium, startChromium } from '#web/testing/chromium.ts';

import { commitFiles } from '../../testing/commits.ts';
import { signedInBrowser } from '../../testing/test-browser.ts';
import { startTestForge, type TestForge } from '../../testing/test-forge.ts';

const chromium = findChromium();
const skip = chromium === undefined && 'no Chromium is installed (apt-get install chromium)';

describe('lines around the changes of a diff in a browser', { skip }, () => {
  let forge: TestForge;
  let browser: Browser | undefined;
  let session: string;

  before(async () => {
    forge = await startTestForge();
    const owner = await forge.user('ada');
    const name = await forge.repository(owner, { name: 'tools' });
    const lines = Array.from(
      { length: 140 },
      (_, index) => `line ${index + 1} ${index > 100 ? 'wide '.repeat(100) : ''}`,
    );
    const text = (...changed: readonly number[]): string =>
      lines.map((line, index) => (changed.includes(index + 1) ? `${line}!` : line)).join('\n');
    const files = { 'a.ts': text(), 'b.ts': text() };
    const base = await commitFiles(forge, name, 'main', files);
    const changes = { 'a.ts': text(40, 100), 'b.ts': text(40) };
    await commitFiles(forge, name, 'topic', changes, { parents: [base] });
    const pull = { title: 'Change lines', head: 'topic', base: 'main' };
    assert.equal((await owner.post(`/repos/${name}/pulls`, pull)).status, 201);
    session = (await signedInBrowser(forge, 'ada')).cookies.get('hob_session') ?? '';
    const server = await forge.listen();
    browser = await startChromium(chromium ?? '', { hostname: 'forge.test', server });
  });
  after(async () => {
    await browser?.close();
    await forge.close();
  });

  async function opened(
    { path, scripts }: { readonly path: string; readonly scripts: boolean },
    look: (page: Page) => Promise<void>,
  ): Promise<void> {
    const profile = await (browser ?? assert.fail('no browser')).newContext({
      javaScriptEnabled: scripts,
    });
    try {
      await profile.addCookies([
        { name: 'hob_session', value: session, domain: 'forge.test', path: '/' },
      ]);
      const page = await profile.newPage();
      await page.goto(`http://forge.test${path}`);
      await look(page);
    } finally {
      await profile.close();
    }
  }

  const first = '#file-1 [data-expand]';

  test('come where they belong, without loading the page again', async () => {
    await opened({ path: '/ada/tools/pull/1?comment=a.ts:R40', scripts: true }, async (page) => {
      let loads = 0;
      page.on('load', () => (loads += 1));
      await page.getByLabel('Comment on line 40 of a.ts').fill('What I am writing');
      await page.locator(first).filter({ hasText: '↑ 20' }).first().press('Enter');
      await page.waitForSelector('#f1R17');
      assert.equal(await page.locator('#f1R16').count(), 0);
      assert.equal(await page.evaluate('document.activeElement.hasAttribute("data-expand")'), true);
      await page.locator('#file-2 [data-expand]').filter({ hasText: '↓ 20' }).click();
      await page.waitForSelector('#f2R63');
      await page.locator(first).filter({ hasText: '↕ all 53' }).click();
      await page.waitForSelector('#f1R60');
      assert.equal(loads, 0);
      assert.equal(
        await page.getByLabel('Comment on line 40 of a.ts').inputValue(),
        'What I am writing',
      );
      const numbers = await page.locator('#file-1 td.number:nth-child(2)').allTextContents();
      const expected = Array.from({ length: 87 }, (_, index) => String(index + 17));
      assert.deepEqual(
        numbers.filter((number) => number !== ''),
        expected,
      );
      // The URL has it all: the page comes back as it was.
      await page.reload();
      for (const line of ['#f1R17', '#f1R60', '#f2R63']) await page.waitForSelector(line);
      assert.equal(await page.locator('#line').count(), 1);
    });
  });

  test('have numbers on one line, however long the lines are', async () => {
    await opened({ path: '/ada/tools/pull/1', scripts: false }, async (page) => {
      const box = await page.locator('#f1R103').boundingBox();
      assert.ok(box && box.height < 30, JSON.stringify(box));
    });
  });

  test('do not push the form for a comment out of a phone', async () => {
    await opened({ path: '/ada/tools/pull/1?comment=a.ts:R100', scripts: false }, async (page) => {
      await page.setViewportSize({ width: 390, height: 800 });
      const box = await page.getByLabel('Comment on line 100 of a.ts').boundingBox();
      assert.ok(box && box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box));
    });
  });

  test('have narrow columns for their numbers side by side', async () => {
    await opened({ path: '/ada/tools/pull/1?diff=split', scripts: false }, async (page) => {
      for (const side of ['L', 'R']) {
        const box = await page.locator(`#f1${side}37`).boundingBox();
        assert.ok(box && box.width < 60, JSON.stringify(box));
      }
    });
  });

  test('come on a page of their own without a script', async () => {
    await opened({ path: '/ada/tools/pull/1', scripts: false }, async (page) => {
      await page.locator(first).filter({ hasText: '↑ 20' }).first().press('Enter');
      await page.waitForURL(/expand=a\.ts%3A17-36#f1R17$/);
      assert.ok(await page.locator('#f1R17').isVisible());
    });
  });

  test('come from a page that is loaded where the diff has changed since', async () => {
    await opened({ path: '/ada/tools/compare/main...topic', scripts: true }, async (page) => {
      await page.route('**/compare/**', (route) =>
        route.request().resourceType() === 'fetch' ? route.abort() : route.fallback(),
      );
      await page.locator(first).first().click();
      await page.waitForURL(/expand=a\.ts%3A17-36#f1R17$/);
      assert.ok(await page.locator('#f1R17').isVisible());
    });
  });
});
