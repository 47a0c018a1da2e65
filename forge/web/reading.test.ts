import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestResponse } from '../testing/test-forge.ts';

describe('reading code', () => {
  let forge: TestForge;
  let name: string;
  let commit: string;

  before(async () => {
    forge = await startTestForge();
    const owner = await forge.user('ada');
    name = await forge.repository(owner, { name: 'tools' });
    commit = await commitFiles(forge, name, 'main', {
      'docs/README.md': '# Guide\n\n[next](next.md)\n',
      'src/a.txt': 'one\ntwo\n<b>\nfour\n',
      'code.ts': 'const end = "</script>";\n',
      'pixel.png': Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    });
    await commitFiles(forge, name, 'feature/x', { 'src/a.txt': 'x\n' });
    await owner.post(`/repos/${name}/git/refs`, { ref: 'refs/tags/v1', sha: commit });
  });
  after(() => forge.close());

  const page = async (path: string): Promise<string> => {
    const response = await forge.anonymous.get(`/${name}/${path}`);
    assert.equal(response.status, 200, response.text);
    return response.text;
  };

  test('a folder shows its README, whose links mean its neighbours, and its history', async () => {
    const text = await page('tree/main/docs');
    assert.match(text, /<h1 id="user-content-guide">Guide<\/h1>/);
    assert.match(text, /href="[^"]*\/blob\/main\/docs\/next\.md"/);
    assert.match(text, /href="[^"]*\/commits\/main\/docs">History/);
    assert.doesNotMatch(await page('tree/main/src'), /class="readme"/);
  });

  test('folders show the commit that changed each entry last', async () => {
    const owner = await forge.user('lin');
    const full = await forge.repository(owner, { init: true });
    const message = 'Add <b>\n\nand more';
    const content = Buffer.from('x').toString('base64');
    const put = await owner.put(`/repos/${full}/contents/src/x.txt`, { message, content });
    const { sha } = put.body.commit;
    for (const path of ['', '/tree/main', '/tree/main/src', `/tree/${sha}/src`]) {
      const { text } = await forge.anonymous.get(`/${full}${path}`);
      const link = new RegExp(`href="[^"]*/commit/${sha}"\\s*>Add &lt;b&gt;</a`);
      assert.match(text, link, path);
      assert.doesNotMatch(text, /and more/);
    }
  });

  test('branches say how far they are from the default branch', async () => {
    const owner = await forge.user('mae');
    const full = await forge.repository(owner, { init: true });
    const [{ sha }] = (await owner.get(`/repos/${full}/commits`)).body;
    const path = `/${full}/branches`;
    await owner.post(`/repos/${full}/git/refs`, { ref: 'refs/heads/topic', sha });
    assert.match((await forge.anonymous.get(path)).text, /0 ahead, 0 behind/);
    const content = Buffer.from('x').toString('base64');
    for (const [branch, file] of [
      ['topic', 'a'],
      ['topic', 'b'],
      ['main', 'c'],
    ]) {
      await owner.put(`/repos/${full}/contents/${file}`, { message: 'm', content, branch });
    }
    assert.deepEqual((await forge.anonymous.get(path)).text.match(/\d+ ahead, \d+ behind/g), [
      '2 ahead, 1 behind',
    ]);
  });

  test('a file leads to its history, to this state of it, and to other branches and tags', async () => {
    const text = await page('blob/main/src/a.txt');
    assert.match(text, /href="[^"]*\/commits\/main\/src\/a\.txt">History/);
    assert.match(text, new RegExp(`/blob/${commit}/src/a.txt">Permalink`));
    assert.match(text, /\/tree\/feature\/x\/src\/a\.txt">feature\/x</);
    assert.match(text, /\/tree\/v1\/src\/a\.txt">v1</);
    assert.doesNotMatch(await page(`blob/${commit}/src/a.txt`), /Permalink/);
    const there = await forge.anonymous.get(`/${name}/tree/v1/src/a.txt`);
    assert.match(there.headers['location'] ?? '', /\/blob\/v1\/src\/a\.txt$/);
  });

  test('commits say whether their statuses and check runs passed', async () => {
    const owner = await forge.user('grace');
    const full = await forge.repository(owner, { init: true });
    const [{ sha }] = (await owner.get(`/repos/${full}/commits`)).body;
    const pages = [`/${full}/commits/main`, `/${full}/commit/${sha}`];
    for (const path of pages) {
      assert.doesNotMatch((await forge.anonymous.get(path)).text, /✓ passed|✗ failed|● pending/);
    }
    for (const [state, shown] of [
      ['pending', /● pending/],
      ['success', /✓ passed/],
      ['failure', /✗ failed/],
    ] as const) {
      await owner.post(`/repos/${full}/statuses/${sha}`, { state, context: 'ci' });
      for (const path of pages) assert.match((await forge.anonymous.get(path)).text, shown, path);
    }
  });

  test('commits are listed by the day on which they were committed', async () => {
    const owner = await forge.user('joan');
    const full = await forge.repository(owner, { init: true });
    const [first] = (await owner.get(`/repos/${full}/commits`)).body;
    let parent = first.sha;
    for (const [message, date] of [
      ['late', '2026-03-01T23:59:59Z'],
      ['early', '2026-03-02T00:00:00Z'],
      ['noon', '2026-03-02T12:00:00Z'],
    ] as const) {
      const person = { name: 'Joan', email: 'joan@example.test', date };
      const { body, text } = await owner.post(`/repos/${full}/git/commits`, {
        message,
        tree: first.commit.tree.sha,
        parents: [parent],
        author: person,
        committer: person,
      });
      parent = body.sha ?? assert.fail(text);
    }
    await owner.patch(`/repos/${full}/git/refs/heads/main`, { sha: parent });
    const { text } = await forge.anonymous.get(`/${full}/commits/main`);
    const days = [...text.matchAll(/<h2>Commits on ([^<]*)<|commit\/[0-9a-f]{40}"\s*>(\w+)</g)];
    assert.deepEqual(
      days.slice(0, 5).map(([, day, title]) => day ?? title),
      ['Mar 2, 2026', 'noon', 'early', 'Mar 1, 2026', 'late'],
    );
  });

  test('a range of lines is marked, and what is no range is ignored', async () => {
    const text = await page('blob/main/src/a.txt?lines=2-3');
    assert.match(
      text,
      /<span id="L2" class="chosen"><a href="#L2" tabindex="-1">2<\/a>two<\/span>/,
    );
    assert.match(
      text,
      /<span id="L3" class="chosen"><a href="#L3" tabindex="-1">3<\/a>&lt;b&gt;<\/span>/,
    );
    assert.match(text, /<span id="L4"><a href="#L4" tabindex="-1">4<\/a>four<\/span>/);
    assert.match(await page('blob/main/src/a.txt?lines=4'), /id="L4" class="chosen"/);
    for (const lines of ['0', 'x', '3-', '9-1', '99999999', '<script>']) {
      const shown = await page(`blob/main/src/a.txt?lines=${encodeURIComponent(lines)}`);
      assert.doesNotMatch(shown, /class="chosen"/, lines);
    }
  });

  test('a link to the raw file, or to commits without a branch, leads on', async () => {
    const leads = async (path: string): Promise<string | undefined> =>
      (await forge.anonymous.get(`/${name}/${path}`)).headers['location'];
    const raw = `http://forge.test/${name}/raw/main/pixel.png`;
    assert.equal(await leads('blob/main/pixel.png?raw=true'), raw);
    assert.equal(await leads('blob/main/pixel.png?raw=1'), raw);
    assert.equal(await leads('commits'), `http://forge.test/${name}/commits/main`);
    for (const path of ['commit/HEAD', 'tree/HEAD', 'raw/HEAD/code.ts', 'archive/HEAD.zip']) {
      assert.equal((await forge.anonymous.get(`/${name}/${path}`)).status, 200, path);
    }
  });

  test('an empty repository has a page of its commits, to which each of its pages leads', async () => {
    const owner = await forge.user('hedy');
    const empty = await forge.repository(owner, { name: 'empty' });
    const { text } = await forge.anonymous.get(`/${empty}`);
    const [, href = ''] = /href="([^"]*)"[^>]*>Commits</.exec(text) ?? [];
    const shown = await forge.anonymous.get(new URL(href).pathname);
    assert.equal(shown.status, 200);
    assert.match(shown.text, /There is no commit yet/);
    assert.equal((await forge.anonymous.get(`/${empty}/commits/other`)).status, 404);
  });

  test('a picture is shown, and Markdown also as it is written', async () => {
    assert.match(await page('blob/main/pixel.png'), /<img src="[^"]*\/raw\/main\/pixel\.png"/);
    const source = await page('blob/main/docs/README.md?plain=1');
    assert.match(
      source,
      /<span id="L1"><a [^>]*>1<\/a>(?:<span class="hljs-section">)?# Guide(?:<\/span>)?<\/span>/,
    );
    assert.match(source, />Rendered<\/a>/);
    assert.match(await page('blob/main/docs/README.md'), /\?plain=1">Source/);
  });

  test('values are a table, and text where they are none', async () => {
    const owner = await forge.user('linus');
    const values = await forge.repository(owner);
    const files = { 'a.csv': 'name,"<b>"\n1,2\n', 'b.tsv': 'x\ty\n', 'c.csv': 'a,"b\n' };
    await commitFiles(forge, values, 'main', files);
    const { text } = await forge.anonymous.get(`/${values}/blob/main/a.csv`);
    assert.match(text, /<th scope="col">name<\/th>[^]*&lt;b(?:>|&gt;)[^]*<td>2<\/td>/);
    assert.match(
      (await forge.anonymous.get(`/${values}/blob/main/b.tsv`)).text,
      /<th scope="col">y</,
    );
    for (const pageUrl of ['a.csv?plain=1', 'c.csv']) {
      const shown = await forge.anonymous.get(`/${values}/blob/main/${pageUrl}`);
      assert.match(shown.text, /id="L1"/, pageUrl);
      assert.doesNotMatch(shown.text, /<table/);
    }
  });

  test('code is coloured by classes, and its page alone may run the script for lines', async () => {
    // A page does not wait long for its colours.
    const ask = (): Promise<TestResponse> => forge.anonymous.get(`/${name}/blob/main/code.ts`);
    let response = await ask();
    for (let asked = 0; asked < 200 && !response.text.includes('hljs-'); asked += 1) {
      response = await ask();
    }
    assert.match(response.text, /<span class="hljs-keyword">const<\/span>/);
    assert.match(response.text, /&lt;\/script&gt;/);
    assert.match(response.text, /<script type="module" src="\/assets\/lines-\w+\.mjs">/);
    assert.doesNotMatch(response.text, /style=/);
    assert.match(String(response.headers['content-security-policy']), /; script-src 'self'; /);
    for (const path of ['blob/main/pixel.png', 'blob/main/docs/README.md', 'tree/main/docs']) {
      const { headers, text } = await forge.anonymous.get(`/${name}/${path}`);
      assert.doesNotMatch(String(headers['content-security-policy']), /script/, path);
      assert.doesNotMatch(text, /<script/, path);
    }
  });

  test('each line is shown with the commit that wrote it, and with what was before', async () => {
    assert.match(
      await page('blob/main/src/a.txt'),
      /href="\/ada\/tools\/blame\/main\/src\/a\.txt">Blame/,
    );
    const changed = await commitFiles(
      forge,
      name,
      'changes',
      { 'src/a.txt': 'one\n2\n<b>\nfour\n' },
      {
        parents: [commit],
        message: 'Change <b>',
      },
    );
    const text = await page('blame/changes/src/a.txt');
    assert.match(text, new RegExp(`/commit/${changed}"[^>]*>Change &lt;b&gt;</a`));
    assert.match(text, new RegExp(`/blame/${commit}/src/a.txt"\\s+aria-label="Blame before`));
    assert.deepEqual(
      [...text.matchAll(/id="L(\d)"><a [^>]*>\d<\/a>([^<]*)</g)].map(([, line, code]) => [
        line,
        code,
      ]),
      [
        ['1', 'one'],
        ['2', '2'],
        ['3', '&lt;b&gt;'],
        ['4', 'four'],
      ],
    );
    assert.match(await page('blame/main/pixel.png'), /Binary, or too long to show here/);
    for (const path of [
      'blame/main/src',
      'blame/main/none',
      'blame/none/src/a.txt',
      'blame/main',
    ]) {
      assert.equal((await forge.anonymous.get(`/${name}/${path}`)).status, 404, path);
    }
  });
});
