import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { openPull } from '../testing/pull-fixture.ts';
import { signedInBrowser, type TestBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

const hostile = `a&b"<script>alert(1)</script>:R1-2,3?#.ts`;
const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}`);
const changedAt = (lines: readonly string[], ...numbers: readonly number[]): string =>
  `${lines.map((line, index) => (numbers.includes(index + 1) ? `${line} new` : line)).join('\n')}\n`;

describe('lines around the changes of a diff', () => {
  let forge: TestForge;
  let owner: TestUser;
  let browser: TestBrowser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('ada');
    browser = await signedInBrowser(forge, 'ada');
  });
  after(() => forge.close());

  /** A pull that changes lines 40 and 100 of a file of 140 lines, and its pages. */
  async function changed(
    path = 'src/a.ts',
    count = 140,
  ): Promise<{ name: string; head: string; pages: readonly string[] }> {
    const lines = numbered(count);
    const name = await forge.repository(owner);
    const base = await commitFiles(forge, name, 'main', { [path]: changedAt(lines) });
    const files = { [path]: changedAt(lines, 40, 100) };
    const head = await commitFiles(forge, name, 'topic', files, { parents: [base] });
    const body = { title: 'Change two lines', head: 'topic', base: 'main' };
    assert.equal((await owner.post(`/repos/${name}/pulls`, body)).status, 201);
    const pages = [`/${name}/commit/${head}`, `/${name}/compare/main...topic`, `/${name}/pull/1`];
    return { name, head, pages };
  }

  test('are shown by links to the same page, at the start, between hunks and at the end', async () => {
    const { pages } = await changed();
    for (const page of pages) {
      const { text } = await browser.get(page);
      assert.deepEqual(
        linksOf(text),
        [
          ['↑ 20 lines', [[17, 36]], 'f1R17'],
          ['↕ all 36 lines', [[1, 36]], 'f1R1'],
          ['↓ 20 lines', [[44, 63]], 'f1R44'],
          ['↑ 20 lines', [[77, 96]], 'f1R77'],
          ['↕ all 53 lines', [[44, 96]], 'f1R44'],
          ['↓ 20 lines', [[104, 123]], 'f1R104'],
          ['↕ all 37 lines', [[104, 140]], 'f1R104'],
        ],
        page,
      );
      assert.doesNotMatch(text, /line 17</, page);
      const [href = ''] = hrefsOf(text);
      const { text: more } = await browser.get(href);
      assert.match(more, /id="f1L17">17<\/td>\s*<td class="number" id="f1R17">17<\/td>/, page);
      assert.match(withoutColours(more), /line 17</, page);
      assert.doesNotMatch(more, /id="f1R16"/, page);
      // What is shown stays when more is.
      const all = await browser.get(hrefsOf(more).at(-1) ?? '');
      assert.match(all.text, /id="f1R17"/, page);
      assert.match(all.text, /id="f1R140"/, page);
      assert.doesNotMatch(all.text, /id="f1R141"/, page);
    }
  });

  test('have the numbers of both sides where lines were added before them', async () => {
    const name = await forge.repository(owner, { name: 'numbers' });
    const lines = numbered(60);
    const base = await commitFiles(forge, name, 'main', { 'a.txt': changedAt(lines) });
    const files = { 'a.txt': `added\nadded too\n${changedAt(lines)}` };
    const head = await commitFiles(forge, name, 'main', files, { parents: [base] });
    for (const layout of ['unified', 'split']) {
      const page = `/${name}/commit/${head}?diff=${layout}&expand=a.txt%3A30-31`;
      const { text } = await forge.anonymous.get(page);
      const rows = [...text.matchAll(/id="f1L(\d+)"[^]*?id="f1R(\d+)"/g)].map(([, left, right]) => [
        left,
        right,
      ]);
      assert.deepEqual(rows.slice(-2), [
        ['28', '30'],
        ['29', '31'],
      ]);
      assert.match(text, layout === 'split' ? /class="split"/ : /class="number"/);
      const [pageUrl = ''] = hrefsOf(text);
      assert.equal(pageUrl.includes('diff=split'), layout === 'split', pageUrl);
    }
  });

  test('leave out nothing that is said to follow where the file ends', async () => {
    const { text } = await browser.get((await changed('b.txt', 103)).pages[0] ?? '');
    assert.equal(linksOf(text).at(-1)?.[0], '↕ all 53 lines');
    const { text: one } = await browser.get((await changed('b.txt', 104)).pages[0] ?? '');
    assert.equal(linksOf(one).at(-1)?.[0], '↕ 1 line');
  });

  test('stay when the layout changes, and when a line is chosen for a comment', async () => {
    const { pages } = await changed();
    const { text } = await browser.get(`${pages[2]}?expand=src%2Fa.ts%3A30-36&w=1`);
    const query = 'expand=src%2Fa.ts%3A30-36';
    assert.match(text, new RegExp(`diff=split&amp;w=1&amp;${query}#files`));
    assert.match(text, new RegExp(`comment=src%2Fa.ts%3AR40&amp;w=1&amp;${query}#line`));
    // The API takes no comment on a line that is not in the diff.
    assert.doesNotMatch(text, /comment=src%2Fa.ts%3AR30/);
    assert.match(text, /id="f1R30">30</);
  });

  test('leave threads where they are', async () => {
    const { name, head, pages } = await changed();
    const comment = { body: 'A remark', commit_id: head, path: 'src/a.ts', line: 40 };
    assert.equal((await owner.post(`/repos/${name}/pulls/1/comments`, comment)).status, 201);
    for (const layout of ['unified', 'split']) {
      const pageUrl = `${pages[2]}?diff=${layout}&expand=src%2Fa.ts%3A1-36%2C44-96`;
      const { text } = await browser.get(pageUrl);
      const [above = '', rest = ''] = text.split('A remark');
      assert.match(above.slice(-3000), /id="f1R40"/);
      assert.match(rest, /id="f1R41"/);
      assert.match(text, /id="f1R1"/);
    }
  });

  test('are found by the path of a file, whatever its name', async () => {
    const { pages } = await changed(hostile);
    for (const page of pages) {
      const { text } = await browser.get(page);
      assert.doesNotMatch(text, /<script>alert/, page);
      const [href = ''] = hrefsOf(text);
      const { text: more } = await browser.get(href);
      assert.match(more, /id="f1R17"/, page);
      assert.doesNotMatch(more, /<script>alert/, page);
    }
  });

  test('are not shown for a parameter that no link has', async () => {
    const { pages } = await changed();
    const { text: plain } = await forge.anonymous.get(pages[0] ?? '');
    const values = [
      '',
      'src/a.ts',
      'src/a.ts:',
      'src/a.ts:0-5',
      'src/a.ts:20-10',
      'src/a.ts:1-99999999',
      'src/a.ts:-1-5',
      'src/a.ts:1-5,',
      'src/a.ts:1e3-2e3',
      'src/a.ts:1-5;6-7',
      '../../etc/passwd:1-5',
      'src/none.ts:1-5',
      '__proto__:1-5',
      '\u0000:1-5',
      `${'x'.repeat(5000)}:1-5`,
    ];
    for (const value of values) {
      const pageUrl = `${pages[0]}?expand=${encodeURIComponent(value)}`;
      const response = await forge.anonymous.get(pageUrl);
      assert.equal(response.status, 200, value);
      assert.equal(linesIn(response.text), linesIn(plain), value);
    }
    const many = '&expand=src%2Fa.ts%3A1-2'.repeat(400);
    assert.equal((await forge.anonymous.get(`${pages[0]}?w=0${many}`)).status, 200);
  });

  test('are as many as a page may have, and lead to the whole file after that', async () => {
    const name = await forge.repository(owner, { name: 'long' });
    const lines = numbered(12_000);
    const base = await commitFiles(forge, name, 'main', { 'a.txt': changedAt(lines) });
    const files = { 'a.txt': changedAt(lines, 6000) };
    const head = await commitFiles(forge, name, 'main', files, { parents: [base] });
    const page = `/${name}/commit/${head}`;
    const { text } = await forge.anonymous.get(page);
    assert.deepEqual(
      linksOf(text).map(([label]) => label),
      ['↑ 20 lines', '↓ 20 lines'],
    );
    const all = await forge.anonymous.get(`${page}?expand=a.txt%3A1-12000`);
    assert.ok(linesIn(all.text) < 5020 && linesIn(all.text) > 5000, String(linesIn(all.text)));
    assert.match(all.text, new RegExp(`<a href="[^"]*/blob/${head}/a.txt">See the whole file</a>`));
    assert.deepEqual(linksOf(all.text), []);
  });

  test('of a file that is too long to be shown are not offered', async () => {
    const name = await forge.repository(owner, { name: 'huge' });
    const lines = numbered(60_000);
    const base = await commitFiles(forge, name, 'main', { 'a.txt': changedAt(lines) });
    const files = { 'a.txt': changedAt(lines, 6000) };
    const head = await commitFiles(forge, name, 'main', files, { parents: [base] });
    const { text } = await forge.anonymous.get(`/${name}/commit/${head}?expand=a.txt%3A1-9`);
    assert.deepEqual(linksOf(text), []);
    assert.doesNotMatch(text, /id="f1R1"/);
    assert.match(text, /id="f1R6000"/);
  });

  test('of a pull of a fork are those of the fork', async () => {
    const name = await forge.repository(owner, { name: 'origin' });
    const lines = numbered(80);
    await commitFiles(forge, name, 'main', { 'a.txt': changedAt(lines) });
    const grace = await forge.user('grace');
    const fork = await grace.post(`/repos/${name}/forks`);
    assert.equal(fork.status, 202, fork.text);
    const forked = String(fork.body.full_name);
    const tip = await grace.get(`/repos/${forked}/branches/main`);
    const parents = [String(tip.body.commit.sha)];
    await commitFiles(forge, forked, 'topic', { 'a.txt': changedAt(lines, 40) }, { parents });
    const pageUrl = `/${name}/compare/main...grace:topic?expand=a.txt%3A1-2`;
    const { text } = await forge.anonymous.get(pageUrl);
    assert.match(text, /id="f1R1"/);
  });

  test('show a reader of a private repository nothing more than before', async () => {
    const pull = await openPull(forge, owner, { private: true });
    const pageUrl = `/${pull.name}/pull/1?expand=README.md%3A1-3`;
    assert.equal((await forge.anonymous.get(pageUrl)).status, 404);
  });
});

/** What each link says, the ranges of its URL, and its fragment. */
function linksOf(text: string): (readonly [string, number[][], string])[] {
  const found = text.matchAll(/<a\s+href="([^"#]*)#([^"]*)"\s+data-expand\s[^>]*>([^<]*)<\/a/g);
  return [...found].map(([, href = '', fragment = '', label = '']) => {
    const query = new URL(href.replaceAll('&amp;', '&'), 'http://forge.test').searchParams;
    const ranges = (query.get('expand') ?? '').replace(/^.*:/s, '').split(',');
    return [label, ranges.map((range) => range.split('-').map(Number)), fragment] as const;
  });
}

function hrefsOf(text: string): string[] {
  return [...text.matchAll(/<a\s+href="([^"#]*)#[^"]*"\s+data-expand/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  );
}

function linesIn(text: string): number {
  return text.match(/id="f1R\d+"/g)?.length ?? 0;
}

/** The highlighter's elements, which a page has when they come in time. */
function withoutColours(text: string): string {
  return text.replaceAll(/<\/?span\b[^>]*>/g, '');
}
