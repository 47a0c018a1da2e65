import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { filledForm } from '#web/testing/test-browser.ts';

import { openPull } from '../testing/pull-fixture.ts';
import { signedInBrowser, type TestBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('texts that are edited on their page', () => {
  let forge: TestForge;
  let owner: TestUser;
  let author: TestUser;
  let browser: TestBrowser;
  let writing: TestBrowser;
  let stranger: TestBrowser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('ada');
    author = await forge.user('grace');
    await forge.user('mallory');
    browser = await signedInBrowser(forge, 'ada');
    writing = await signedInBrowser(forge, 'grace');
    stranger = await signedInBrowser(forge, 'mallory');
  });
  after(() => forge.close());

  /** A pull of the owner with a comment, a review and a comment on a line, each of the author. */
  async function discussed(): Promise<{ page: string; path: string; ids: readonly string[] }> {
    const pull = await openPull(forge, owner);
    const at = `/repos/${pull.name}`;
    const said = await author.post(`${at}/issues/1/comments`, { body: 'said' });
    const review = await author.post(`${pull.path}/reviews`, { body: 'said', event: 'COMMENT' });
    const line = { body: 'said', commit_id: pull.head, path: 'new.txt', line: 1 };
    const comment = await author.post(`${pull.path}/comments`, line);
    const ids = [
      `issuecomment-${said.body.id}`,
      `pullrequestreview-${review.body.id}`,
      `discussion_r${comment.body.id}`,
    ];
    return { page: `/${pull.name}/pull/1`, path: at, ids };
  }

  const edit = (by: TestBrowser, page: string, id: string) => async (text: string) => {
    await by.get(`${page}?edit=${id}`);
    return by.submit(`${page}/edit-text`, { text });
  };

  test('the author edits each of them, and gets the form back with what was refused', async () => {
    const { page, ids } = await discussed();
    for (const id of ids) {
      const save = edit(writing, page, id);
      const opened = await writing.get(`${page}?edit=${id}`);
      assert.match(opened.text, /<textarea[^>]*name="text"[^>]*>\s*said<\/textarea>/, id);
      const refused = await save(' ');
      assert.equal(refused.status, 422, id);
      assert.match(refused.text, /class="problem"/, id);
      const saved = await save('better 1<2 <script>\r\nthan before');
      assert.equal(saved.headers['location'], `http://forge.test${page}#${id}`, saved.text);
    }
    const { text } = await writing.get(page);
    assert.equal([...text.matchAll(/better 1&lt;2/g)].length, ids.length);
    assert.doesNotMatch(text, /<script(?! type="module" src="\/assets\/)|>said</);
  });

  test('a text that was changed after it was opened is not replaced unseen', async () => {
    const { page, path, ids } = await discussed();
    const [comment = '', review = '', line = ''] = ids;
    const numberOf = (id: string): string => /\d+$/.exec(id)?.[0] ?? '';
    const others: Readonly<Record<string, () => Promise<unknown>>> = {
      [comment]: () =>
        owner.patch(`${path}/issues/comments/${numberOf(comment)}`, { body: 'other' }),
      [review]: () => author.put(`${path}/pulls/1/reviews/${numberOf(review)}`, { body: 'other' }),
      [line]: () => owner.patch(`${path}/pulls/comments/${numberOf(line)}`, { body: 'other' }),
    };
    for (const id of ids) {
      const opened = await writing.get(`${page}?edit=${id}`);
      await others[id]?.();
      const action = `${page}/edit-text`;
      const refused = await writing.post(action, filledForm(opened.text, action, { text: 'mine' }));
      assert.equal(refused.status, 409, id);
      assert.match(refused.text, /changed after you opened it[^]*The present text[^]*other/, id);
      assert.match(refused.text, /<textarea[^>]*name="text"[^>]*>\s*mine<\/textarea>/, id);
      const again = filledForm(refused.text, action, {});
      assert.equal((await writing.post(action, again)).status, 303, id);
    }
    assert.equal([...(await writing.get(page)).text.matchAll(/<p>mine<\/p>/g)].length, ids.length);
  });

  test('a title, description or base that others changed is not replaced unseen', async () => {
    const { page, path } = await discussed();
    await owner.post(`${path}/issues`, { title: 'One', body: 'first' });
    const cases = [
      [`/${path.slice('/repos/'.length)}/issues/2`, `${path}/issues/2`, { body: 'other' }],
      [page, `${path}/pulls/1`, { title: 'Other' }],
    ] as const;
    for (const [shown, at, change] of cases) {
      const opened = await browser.get(shown);
      await owner.post(`${at.replace('/pulls/', '/issues/')}/comments`, { body: 'no change' });
      const action = `${shown}/edit`;
      const first = filledForm(opened.text, action, { title: 'Mine' });
      await owner.patch(at, change);
      const refused = await browser.post(action, first);
      assert.equal(refused.status, 409, shown);
      assert.notEqual((await owner.get(at)).body.title, 'Mine');
      const again = filledForm(refused.text, action, {});
      assert.equal((await browser.post(action, again)).status, 303, shown);
      assert.equal((await owner.get(at)).body.title, 'Mine');
      await owner.patch(at, change);
      await owner.post(`${at.replace('/pulls/', '/issues/')}/comments`, { body: 'again' });
    }
  });

  test('others are offered nothing and refused, but people with write access for comments', async () => {
    const { page, ids } = await discussed();
    for (const id of ids) {
      const shown = await stranger.get(`${page}?edit=${id}`);
      assert.doesNotMatch(shown.text, /edit-text|delete-text|>Edit</, id);
      const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(shown.text) ?? [];
      const fields = { form_token, target: id, text: 'mine' };
      for (const act of ['edit-text', 'delete-text']) {
        const response = await stranger.post(`${page}/${act}`, fields);
        assert.equal(response.status, 403, `${act} ${id}`);
      }
    }
    const [comment = '', review = ''] = ids;
    assert.equal((await edit(browser, page, comment)('moderated')).status, 303);
    assert.doesNotMatch((await browser.get(`${page}?edit=${review}`)).text, /edit-text/);
  });

  test('a comment is deleted below its form; texts of other pages and unknown ones are refused', async () => {
    const { page, path, ids } = await discussed();
    const [comment = '', review = '', line = ''] = ids;
    for (const id of [comment, line]) {
      await writing.get(`${page}?edit=${id}`);
      assert.equal((await writing.submit(`${page}/delete-text`)).status, 303, id);
    }
    assert.deepEqual((await owner.get(`${path}/issues/1/comments`)).body, []);
    assert.deepEqual((await owner.get(`${path}/pulls/1/comments`)).body, []);
    const { text } = await writing.get(page);
    const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(text) ?? [];
    const elsewhere = (await discussed()).ids[0] ?? '';
    for (const target of [review, comment, elsewhere, 'issuecomment-0', 'x', '']) {
      const fields = { form_token, target, text: 'x' };
      const response = await writing.post(`${page}/delete-text`, fields);
      assert.equal(response.status, 403, target);
    }
  });
});
