import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { beginImport } from '../imports/import-store.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import { signedInBrowser, type TestBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('the import of a repository', () => {
  let forge: TestForge;
  let ada: TestUser;
  let browser: TestBrowser;
  let base: string;

  before(async () => {
    forge = await startTestForge({ imports: 'private' });
    ada = await forge.user('ada');
    await forge.user('grace');
    browser = await signedInBrowser(forge, 'ada');
    base = `http://${await forge.listen()}`;
  });
  after(() => forge.close());

  async function submit(fields: Readonly<Record<string, string>>) {
    await browser.get('/-/import');
    return browser.submit('/-/import', fields);
  }

  /** The page of the import once it is over. */
  async function ended(name: string): Promise<string> {
    for (let time = 0; time < 2000; time += 1) {
      const { text } = await browser.get(`/${name}/import`);
      if (!text.includes('◌ Importing')) return text;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return assert.fail('the import goes on');
  }

  test('copies branches, tags and the default branch', async () => {
    const source = await forge.repository(ada, { init: true });
    const tip = await commitFiles(forge, source, 'trunk', { 'a.txt': 'a' });
    await ada.post(`/repos/${source}/git/refs`, { ref: 'refs/tags/v1', sha: tip });
    await ada.patch(`/repos/${source}`, { default_branch: 'trunk' });
    const response = await submit({ url: `${base}/${source}`, name: 'copy' });
    assert.equal(response.status, 303, response.text);
    assert.ok(response.headers['location']?.endsWith('/ada/copy/import'));
    const text = await ended('ada/copy');
    assert.match(text, /✓ Imported[^]*were received/);
    assert.doesNotMatch(text, /data-live|http-equiv/);
    const refs = (await ada.get('/repos/ada/copy/git/matching-refs/')).body;
    const same = (await ada.get(`/repos/${source}/git/matching-refs/`)).body;
    const named = (list: readonly { ref: string; object: { sha: string } }[]): string[] =>
      list.map(({ ref, object }) => `${ref} ${object.sha}`);
    assert.deepEqual(named(refs), named(same));
    assert.equal((await ada.get('/repos/ada/copy')).body.default_branch, 'trunk');
    assert.match((await browser.get('/ada/copy')).text, /a\.txt/);
  });

  test('refuses URLs, and creates nothing then', async () => {
    for (const url of ['git@x.test:a', 'https://user:word@x.test/a', 'https://x.invalid/a']) {
      const { status, text } = await submit({ url, name: 'refused' });
      assert.equal(status, 422, url);
      assert.match(text, /role="alert"/);
    }
    assert.equal((await ada.get('/repos/ada/refused')).status, 404);
    assert.equal((await browser.post('/-/import', { url: base, name: 'x' })).status, 403);
  });

  test('says why it failed, and is tried again by those who may push', async () => {
    const source = 'ada/later';
    const { status } = await submit({ url: `${base}/${source}`, name: 'retried' });
    assert.equal(status, 303);
    const failed = await ended('ada/retried');
    assert.match(failed, /✗ Failed[^]*There is no public repository at this address/);
    const stranger = await signedInBrowser(forge, 'grace');
    assert.equal((await stranger.get('/ada/retried/import')).status, 404);
    const tokens = await stranger.get('/settings/tokens');
    const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(tokens.text) ?? [];
    const forbidden = await stranger.post('/ada/retried/import/retry', { form_token });
    assert.equal(forbidden.status, 404);
    await ada.post('/user/repos', { name: 'later', auto_init: true });
    await browser.get('/ada/retried/import');
    assert.equal((await browser.submit('/ada/retried/import/retry')).status, 303);
    assert.match(await ended('ada/retried'), /✓ Imported/);
    // What has files already is not imported over.
    const [, token = ''] =
      /name="form_token" value="([^"]+)"/.exec((await browser.get('/settings/tokens')).text) ?? [];
    const again = await browser.post('/ada/retried/import/retry', { form_token: token });
    assert.equal(again.status, 422);
    assert.match(again.text, /not empty any more/);
  });

  test('is one at a time for each user, also of two forms at once', async () => {
    const source = await forge.repository(ada, { init: true });
    await browser.get('/-/import');
    const responses = await Promise.all(
      ['first', 'second'].map((name) =>
        browser.submit('/-/import', { url: `${base}/${source}`, name }),
      ),
    );
    assert.deepEqual(responses.map(({ status }) => status).toSorted(), [303, 422]);
    const [started = '', refused = ''] =
      responses[0]?.status === 303 ? ['first', 'second'] : ['second', 'first'];
    assert.match(responses.map(({ text }) => text).join(''), /One of your imports is under way/);
    assert.equal((await ada.get(`/repos/ada/${refused}`)).status, 404);
    assert.match(await ended(`ada/${started}`), /✓ Imported/);
  });

  test('of an empty repository is complete', async () => {
    const source = await forge.repository(ada);
    await submit({ url: `${base}/${source}`, name: 'nothing' });
    assert.match(await ended('ada/nothing'), /✓ Imported[^]*It is empty\./);
  });

  test('that a stopped server left is shown as interrupted', async () => {
    const name = await forge.repository(ada);
    const id = await repositoryId(forge, name);
    const { account } = ada;
    const begun = { repositoryId: id, accountId: account.id, url: `${base}/ada/later` };
    const now = forge.clock.now();
    const begin = (at: number): Promise<boolean> =>
      forge.database.write((sql) => beginImport(sql, begun, { now: at, heardSince: at - 60_000 }));
    assert.equal(await begin(now), true);
    assert.equal(await begin(now + 1000), false);
    const running = await browser.get(`/${name}/import`);
    assert.match(running.text, /data-live[^]*◌ Importing/);
    forge.clock.advance(61_000);
    assert.match((await browser.get(`/${name}/import`)).text, /✗ Interrupted[^]*Try again/);
    assert.equal((await browser.submit(`/${name}/import/retry`)).status, 303);
    assert.match(await ended(name), /✓ Imported/);
  });
});

describe('an import where the operator does not let the server', () => {
  test('reach private addresses shows nobody which names lead to them', async () => {
    const forge = await startTestForge({ imports: 'on' });
    try {
      await forge.user('ada');
      const browser = await signedInBrowser(forge, 'ada');
      await browser.get('/-/import');
      const problemOf = async (host: string): Promise<string | undefined> => {
        const fields = { url: `http://${host}/a`, name: 'x' };
        const { status, text } = await browser.submit('/-/import', fields);
        assert.equal(status, 422);
        return /role="alert"[^>]*>([^<]*)/.exec(text)?.[1]?.replace(host, 'HOST');
      };
      // No name server is asked about a name that is too long.
      const [known, unknown] = [await problemOf('localhost'), await problemOf('x'.repeat(64))];
      assert.match(known ?? '', /HOST/);
      assert.equal(known, unknown);
    } finally {
      await forge.close();
    }
  });

  test('reach private addresses, or any, says so', async () => {
    for (const [imports, shown] of [
      ['on', /HOB_IMPORTS=private/],
      ['off', /fetches nothing from others/],
    ] as const) {
      const forge = await startTestForge({ imports });
      try {
        await forge.user('ada');
        const browser = await signedInBrowser(forge, 'ada');
        const page = await browser.get('/-/import');
        assert.match(page.text, /git clone --mirror/);
        const text =
          imports === 'off'
            ? page.text
            : (await browser.submit('/-/import', { url: 'http://127.0.0.1/a', name: 'x' })).text;
        assert.match(text, shown);
      } finally {
        await forge.close();
      }
    }
  });
});
