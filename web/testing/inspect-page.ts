import axe from 'axe-core';
import { HtmlValidate } from 'html-validate/node';
import type { Page } from 'playwright-core';

/** A desktop, a phone, and the smallest width at which a page must be readable (WCAG 2.2, 1.4.10). */
const widths = { desktop: 1280, phone: 390, smallest: 320 } as const;
const height = 800;

const requestsMax = 4;
const bytesMax = 100_000;
/** How many of the first elements that the Tab key reaches must show that they have the focus. */
const stopsMax = 8;

const validator = new HtmlValidate({
  extends: ['html-validate:recommended'],
  rules: {
    // Taste: what the templates are written in is valid either way.
    'void-style': 'off',
    'doctype-style': 'off',
    'attribute-boolean-style': 'off',
    'attr-quotes': 'off',
    'no-trailing-whitespace': 'off',
    'no-implicit-input-type': 'off',
    'long-title': 'off',
    // A set of checkboxes has one name.
    'form-dup-name': 'off',
    // Tables of people's texts: their cells are aligned as on GitHub, and their heads are of columns only.
    'no-deprecated-attr': 'off',
    'wcag/h63': 'off',
    // In `noscript` only, where a person has asked for it or something is under way; axe-core looks for others.
    'meta-refresh': 'off',
  },
});

/** What a URL showed: every problem is one sentence. */
export interface Inspection {
  readonly status: number;
  readonly contentType: string;
  readonly problems: readonly string[];
}

/**
 * Opens a URL as a person does, and checks the page at every width and in both colour schemes. Only what differs is checked
 * again: contrast with the colours, the layout with the width.
 */
export async function inspectPage(page: Page, url: string): Promise<Inspection> {
  const problems: string[] = [];
  const bodies: Promise<number>[] = [];
  const urls = new Set<string>();
  const note = (text: string): void => {
    problems.push(text);
  };
  page.removeAllListeners();
  page.on('console', (message) => note(`says on the console: ${message.text()}`));
  page.on('pageerror', (error) => note(`has an error: ${error.message}`));
  page.on('requestfailed', (request) => note(`cannot load ${request.url()}`));
  page.on('response', (response) => {
    const redirected = response.status() >= 300 && response.status() < 400;
    // What comes after the page, without an end.
    if (response.headers()['content-type'] === 'text/event-stream') return;
    // The icon is loaded a second time for the tab.
    if (redirected || urls.has(response.url())) return;
    urls.add(response.url());
    bodies.push(response.body().then((body) => body.length));
  });
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: widths.desktop, height });
  const response = await page.goto(url, { waitUntil: 'load', timeout: 60_000 });
  if (!response) throw new Error(`${url} answered nothing`);
  const status = response.status();
  const contentType = (await response.headerValue('content-type')) ?? '';
  if (!contentType.startsWith('text/html')) return { status, contentType, problems };
  const sizes = await Promise.all(bodies);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (sizes.length > requestsMax) note(`takes ${sizes.length} requests, more than ${requestsMax}`);
  if (bytes > bytesMax) note(`has ${bytes} bytes, more than ${bytesMax}`);
  problems.push(...(await invalidMarkup(await response.text())));
  await page.evaluate(axe.source);
  problems.push(...(await findings(page, 'all rules')));
  problems.push(...(await overflow(page, widths.desktop)));
  problems.push(...(await hiddenFocus(page)));
  await page.emulateMedia({ colorScheme: 'dark' });
  problems.push(...(await findings(page, 'color-contrast')));
  for (const width of [widths.phone, widths.smallest]) {
    await page.setViewportSize({ width, height });
    problems.push(...(await overflow(page, width)));
  }
  await page.setViewportSize({ width: widths.phone, height });
  problems.push(...(await findings(page, 'target-size', 'scrollable-region-focusable')));
  return { status, contentType, problems };
}

async function invalidMarkup(text: string): Promise<string[]> {
  const report = await validator.validateString(text);
  return report.results.flatMap(({ messages }) =>
    messages.map(
      ({ line, ruleId, message }) => `is not valid HTML: line ${line}: ${message} (${ruleId})`,
    ),
  );
}

/** What axe-core finds by all of its rules of WCAG 2.2 AA and good practice, or by the named ones. */
async function findings(page: Page, ...rules: readonly string[]): Promise<string[]> {
  const only =
    rules[0] === 'all rules'
      ? {}
      : { runOnly: { type: 'rule', values: rules }, rules: { 'target-size': { enabled: true } } };
  const all = { rules: { 'target-size': { enabled: true } } };
  const options = { resultTypes: ['violations'], ...all, ...only };
  return textsOf(
    await page.evaluate(
      `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
        nodes.slice(0, 3).map(({ target, html }) => 'fails ' + id + ' at ' + target.join(' ') + ': ' + html.slice(0, 160))))`,
    ),
  );
}

/** Elements that stand out of the window sideways, so that the whole page scrolls. */
async function overflow(page: Page, width: number): Promise<string[]> {
  return textsOf(
    await page.evaluate(`(() => {
      const root = document.documentElement;
      if (root.scrollWidth <= root.clientWidth) return [];
      const clips = (element) => {
        for (let each = element.parentElement; each; each = each.parentElement) {
          if (/auto|scroll|hidden/.test(getComputedStyle(each).overflowX)) return true;
        }
        return false;
      };
      const wide = [...document.body.querySelectorAll('*')]
        .filter((element) => element.getBoundingClientRect().right > root.clientWidth + 0.5 && !clips(element))
        .slice(0, 3)
        .map((element) => element.outerHTML.slice(0, 120));
      return ['is wider than ${width} pixels: ' + root.scrollWidth + ', by ' + wide.join(' and ')];
    })()`),
  );
}

/** The first stops of the Tab key that do not show that they have the focus, or that are outside of the window. */
async function hiddenFocus(page: Page): Promise<string[]> {
  const problems: string[] = [];
  for (let stop = 0; stop < stopsMax; stop += 1) {
    await page.keyboard.press('Tab');
    problems.push(
      ...textsOf(
        await page.evaluate(`(() => {
          const element = document.activeElement;
          if (!element || element === document.body) return [];
          const { outlineStyle, outlineWidth } = getComputedStyle(element);
          const { width, height } = element.getBoundingClientRect();
          const shown = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1 && width > 0 && height > 0;
          return shown ? [] : ['hides the focus of ' + element.outerHTML.slice(0, 120)];
        })()`),
      ),
    );
  }
  return problems;
}

function textsOf(value: unknown): string[] {
  if (!Array.isArray(value)) throw new Error('a check of a page returned no list');
  return value.map(String);
}
