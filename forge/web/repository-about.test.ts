import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { createLog } from '#platform/log.ts';

import { describeRepositories } from '../repositories/describe-code.ts';
import { licenseByKey } from '../templates/license-table.ts';
import { licenseText } from '../templates/license-texts.ts';
import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

const mit = licenseText(licenseByKey('mit') ?? assert.fail());
const hostile = '"><script>alert(1)</script>';

describe('the column about a repository', () => {
  const log = createLog('silent');
  let forge: TestForge;
  let owner: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('ada');
    await forge.user('grace');
  });
  after(() => forge.close());

  async function about(name: string, user?: TestUser): Promise<string> {
    await describeRepositories(forge.ports, log);
    const { text } = await (user ?? forge.anonymous).get(`/${name}`);
    return /<aside aria-label="About"[^]*<\/aside>/.exec(text)?.[0] ?? assert.fail(text);
  }

  test('says what it is, and leads to its stars, watchers and forks', async () => {
    const name = await forge.repository(owner);
    assert.match(await about(name), /No description\./);
    await owner.patch(`/repos/${name}`, { description: hostile, homepage: 'https://a.test/?a&b' });
    await owner.put(`/repos/${name}/topics`, { names: ['git'] });
    await owner.put(`/user/starred/${name}`);
    const text = await about(name);
    assert.match(text, /&quot;&gt;&lt;script&gt;/);
    assert.match(text, /<a href="https:\/\/a\.test\/\?a&amp;b" rel="nofollow">/);
    assert.match(text, /q=topic%3Agit">git</);
    assert.match(text, /stargazers">1 star</);
    assert.match(text, /forks">0 forks</);
    assert.doesNotMatch(text, /Licence|Languages|Releases|Forked/);
  });

  test('has no link to a URL that a browser would run', async () => {
    const name = await forge.repository(owner);
    for (const homepage of ['javascript:alert(1)', 'JAVASCRIPT:alert(1)//https://', hostile]) {
      await owner.patch(`/repos/${name}`, { homepage });
      const text = await about(name);
      assert.doesNotMatch(text, /href="javascript|<script/i, homepage);
    }
  });

  test('names the licence, the contributors and the languages of the default branch', async () => {
    const name = await forge.repository(owner);
    const files = { 'a.ts': 'x'.repeat(750), 'b.py': 'y'.repeat(250), LICENSE: mit };
    await commitFiles(forge, name, 'main', files);
    const text = await about(name);
    assert.match(text, /Licence: MIT License/);
    assert.match(text, />1 contributor</);
    assert.match(text, /<rect\s+class="part-1"\s+x="0\.00"\s+width="75\.00"/);
    assert.match(text, /<rect\s+class="part-2"\s+x="75\.00"\s+width="25\.00"/);
    assert.match(text, /TypeScript\s+<span class="soft">75\.0 %/);
    assert.match(text, /Python\s+<span class="soft">25\.0 %/);
    // An update of the code is read again.
    await commitFiles(forge, name, 'main', { 'c.go': 'z'.repeat(1000) });
    assert.match(await about(name), /Go\s+<span class="soft">50\.0 %/);
  });

  test('sums up the languages after the first six', async () => {
    const name = await forge.repository(owner);
    const ends = ['ts', 'py', 'go', 'rs', 'rb', 'java', 'lua', 'zig'];
    const files = Object.fromEntries(
      ends.map((end, index) => [`a.${end}`, 'x'.repeat(100 - index)]),
    );
    await commitFiles(forge, name, 'main', files);
    const text = await about(name);
    assert.equal(text.match(/<rect/g)?.length, 7);
    assert.match(text, /Other\s+<span class="soft">\d/);
    assert.doesNotMatch(text, /Lua|Zig/);
  });

  test('names the latest release, and offers one to those who push', async () => {
    const name = await forge.repository(owner, { init: true });
    assert.doesNotMatch(await about(name), /Releases/);
    const release = { tag_name: 'v1/<b>', name: hostile };
    await owner.post(`/repos/${name}/releases`, { ...release, tag_name: 'v1' });
    const text = await about(name);
    assert.match(text, /releases\/tag\/v1"\s*>&quot;&gt;&lt;script&gt;/);
    assert.match(text, /latest/);
  });

  test('names a fork’s parent and a template only to those who may read them', async () => {
    const parent = await forge.repository(owner, { init: true, private: true });
    await owner.patch(`/repos/${parent}`, { is_template: true });
    const made = await owner.post(`/repos/${parent}/generate`, { name: 'generated' });
    assert.equal(made.status, 201, made.text);
    const signedIn = await about('ada/generated', owner);
    assert.match(signedIn, new RegExp(`Made from the template\\s+<a href="[^"]*/${parent}">`));
    assert.doesNotMatch(await about('ada/generated'), /template/);
  });

  test('does not say how many contributors there are where counting takes too long', async () => {
    const name = await forge.repository(owner, { init: true });
    await describeRepositories(forge.ports, log);
    await forge.database.write((sql) => sql.run('update code_statistics set contributors = null'));
    assert.doesNotMatch(await about(name), /contributor/i);
  });
});
