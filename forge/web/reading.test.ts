import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge } from '../testing/test-forge.ts';

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
      'src/a.ts': 'one\ntwo\n<b>\nfour\n',
      'pixel.png': Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    });
    await commitFiles(forge, name, 'feature/x', { 'src/a.ts': 'x\n' });
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

  test('a file leads to its history, to this state of it, and to other branches and tags', async () => {
    const text = await page('blob/main/src/a.ts');
    assert.match(text, /href="[^"]*\/commits\/main\/src\/a\.ts">History/);
    assert.match(text, new RegExp(`/blob/${commit}/src/a.ts">Permalink`));
    assert.match(text, /\/tree\/feature\/x\/src\/a\.ts">feature\/x</);
    assert.match(text, /\/tree\/v1\/src\/a\.ts">v1</);
    assert.doesNotMatch(await page(`blob/${commit}/src/a.ts`), /Permalink/);
    const there = await forge.anonymous.get(`/${name}/tree/v1/src/a.ts`);
    assert.match(there.headers['location'] ?? '', /\/blob\/v1\/src\/a\.ts$/);
  });

  test('a range of lines is marked, and what is no range is ignored', async () => {
    const text = await page('blob/main/src/a.ts?lines=2-3');
    assert.match(text, /<span id="L2" class="chosen">two<\/span>/);
    assert.match(text, /<span id="L3" class="chosen">&lt;b&gt;<\/span>/);
    assert.match(text, /<span id="L4">four<\/span>/);
    assert.match(await page('blob/main/src/a.ts?lines=4'), /id="L4" class="chosen"/);
    for (const lines of ['0', 'x', '3-', '9-1', '99999999', '<script>']) {
      const shown = await page(`blob/main/src/a.ts?lines=${encodeURIComponent(lines)}`);
      assert.doesNotMatch(shown, /class="chosen"/, lines);
    }
  });

  test('a picture is shown, and Markdown also as it is written', async () => {
    assert.match(await page('blob/main/pixel.png'), /<img src="[^"]*\/raw\/main\/pixel\.png"/);
    const source = await page('blob/main/docs/README.md?plain=1');
    assert.match(source, /<span id="L1"># Guide<\/span>/);
    assert.match(source, />Rendered<\/a>/);
    assert.match(await page('blob/main/docs/README.md'), /\?plain=1">Source/);
  });
});
