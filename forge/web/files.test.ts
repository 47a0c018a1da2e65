import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { createTestBrowser, signedInBrowser, type TestBrowser } from '../testing/test-browser.ts';
import {
  startTestForge,
  type TestForge,
  type TestResponse,
  type TestUser,
} from '../testing/test-forge.ts';

describe('the pages that change files', () => {
  let forge: TestForge;
  let owner: TestUser;
  let own: TestBrowser;
  let reading: TestBrowser;
  let name: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('ada');
    await forge.user('grace');
    own = await signedInBrowser(forge, 'ada');
    reading = await signedInBrowser(forge, 'grace');
    name = await forge.repository(owner);
    await commitFiles(forge, name, 'main', {
      'a.txt': 'one\ntwo\n',
      'src/a b#.txt': '\n<b>&amp;\n',
      'windows.txt': 'one\r\ntwo\r\n',
      'latin1.txt': Buffer.from('caf\xe9\n', 'latin1'),
      'long.txt': 'x'.repeat(257 * 1024),
    });
  });
  after(() => forge.close());

  /** Opens a page, and sends its form. */
  async function act(
    page: string,
    verb: string,
    fields: Readonly<Record<string, string>>,
    by: TestBrowser = own,
  ): Promise<TestResponse> {
    const opened = await by.get(`/${name}/${page}`);
    assert.equal(opened.status, 200, opened.text);
    const [, path] = /^edit\/[^/]+\/(.+)$/.exec(page) ?? [];
    const present = { target: 'present', ...(path !== undefined && { path }) };
    return by.submit(`/${name}/files/${verb}`, { ...present, ...fields });
  }

  const textOf = async (path: string, ref = 'main'): Promise<string | undefined> => {
    const { status, body } = await owner.get(`/repos/${name}/contents/${path}?ref=${ref}`);
    return status === 200 ? Buffer.from(body.content, 'base64').toString('latin1') : undefined;
  };

  const lastCommit = async (ref = 'main'): Promise<TestResponse['body']> =>
    (await owner.get(`/repos/${name}/commits/${ref}`)).body;

  async function upload(
    files: Readonly<Record<string, string>>,
    fields: Readonly<Record<string, string>> = {},
    { by = own, to = name }: { readonly by?: TestBrowser; readonly to?: string } = {},
  ): Promise<TestResponse> {
    const { text } = await by.get(`/${to}/upload/main`);
    const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(text) ?? [];
    const form = new FormData();
    const all = { form_token, branch: 'main', folder: '', target: 'present', ...fields };
    for (const [field, value] of Object.entries(all)) form.append(field, value);
    for (const [file, content] of Object.entries(files)) {
      form.append('files', new File([content], file));
    }
    return by.upload(`/${to}/files/upload`, form);
  }

  test('lead visitors to the sign-in page, and readers to a fork', async () => {
    const nobody = createTestBrowser(forge);
    for (const page of ['new/main', 'upload/main', 'edit/main/a.txt', 'delete/main/a.txt']) {
      const response = await nobody.get(`/${name}/${page}`);
      assert.equal(response.status, 302, page);
      const shown = await reading.get(`/${name}/${page}`);
      assert.equal(shown.status, 403, page);
      assert.match(shown.text, /Fork it/);
      assert.doesNotMatch(shown.text, /files\//);
    }
    assert.doesNotMatch((await reading.get(`/${name}/blob/main/a.txt`)).text, /\/edit\//);
    assert.match((await own.get(`/${name}/blob/main/a.txt`)).text, /\/edit\/main\/a\.txt"/);
    assert.match((await own.get(`/${name}/tree/main/src`)).text, /\/new\/main\/src"/);
  });

  test('are not there for what is not there', async () => {
    for (const page of ['edit/main/none', 'delete/main/none', 'edit/main/src', 'new/none']) {
      assert.equal((await own.get(`/${name}/${page}`)).status, 404, page);
    }
    const { sha } = await lastCommit();
    const shown = await own.get(`/${name}/edit/${sha}/a.txt`);
    assert.equal(shown.status, 403);
    assert.match(shown.text, /no branch/);
  });

  test('refuse readers, other sites and sessions that ended', async () => {
    const { sha } = await lastCommit();
    await own.get(`/${name}/new/main`);
    const foreign = { 'sec-fetch-site': 'cross-site' };
    const fields = { path: 'x', content: 'x', branch: 'main', target: 'present' };
    const { text } = await own.get(`/${name}/new/main`);
    const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(text) ?? [];
    const sent = await own.post(`/${name}/files/create`, { ...fields, form_token }, foreign);
    assert.equal(sent.status, 403);
    const page = await reading.get('/settings/tokens');
    const [, token = ''] = /name="form_token" value="([^"]+)"/.exec(page.text) ?? [];
    for (const verb of ['create', 'update', 'delete']) {
      const refused = await reading.post(`/${name}/files/${verb}`, {
        ...fields,
        form_token: token,
      });
      assert.equal(refused.status, 403, verb);
    }
    assert.equal(
      (await upload({ 'x.txt': 'x' }, { form_token: token }, { by: reading })).status,
      403,
    );
    assert.equal((await upload({ 'x.txt': 'x' }, { form_token: 'x' })).status, 403);
    assert.equal(
      (await upload({ 'x.txt': 'x' }, {}, { by: createTestBrowser(forge) })).status,
      403,
    );
    assert.equal((await lastCommit()).sha, sha);
  });

  test('create a file in a folder, with the message', async () => {
    const fields = { path: 'docs/new file.md', content: '# New\r\ntext', title: 'Say more' };
    const response = await act('new/main/docs', 'create', { ...fields, description: 'Why' });
    assert.equal(response.status, 303, response.text);
    assert.match(response.headers['location'] ?? '', /\/blob\/main\/docs\/new%20file\.md$/);
    assert.equal(await textOf('docs/new%20file.md'), '# New\ntext');
    const { commit, author } = await lastCommit();
    assert.equal(commit.message, 'Say more\n\nWhy');
    assert.equal(author.login, 'ada');
  });

  test('refuse a file that is there, and names that are none, with what was filled in', async () => {
    for (const path of ['a.txt', 'a.txt/b', '../x', '.git/config', '']) {
      const response = await act('new/main', 'create', { path, content: 'own words' });
      assert.equal(response.status, 422, path);
      assert.match(response.text, /role="alert"/);
      assert.match(response.text, /own words<\/textarea>/);
    }
  });

  test('edit a text as it is, and keep its line ends', async () => {
    const { text } = await own.get(`/${name}/edit/main/src/a%20b%23.txt`);
    assert.match(
      text,
      /<textarea[^>]*>\n\n&lt;b>&amp;amp;\n<\/textarea>|<textarea[^>]*>\n\n&lt;b&gt;&amp;amp;\n<\/textarea>/,
    );
    assert.equal(
      (await act('edit/main/a.txt', 'update', { content: 'one\r\nzwei\r\n' })).status,
      303,
    );
    assert.equal(await textOf('a.txt'), 'one\nzwei\n');
    const edited = { content: 'one\r\nzwei\r\n', title: '' };
    assert.equal((await act('edit/main/windows.txt', 'update', edited)).status, 303);
    assert.equal(await textOf('windows.txt'), 'one\r\nzwei\r\n');
    assert.equal((await lastCommit()).commit.message, 'Update windows.txt');
  });

  test('move a file, unless another one is there', async () => {
    await commitFiles(forge, name, 'main', { 'old.txt': 'old\n' });
    const taken = await act('edit/main/old.txt', 'update', { path: 'a.txt', content: 'x' });
    assert.equal(taken.status, 422, taken.text);
    const moved = await act('edit/main/old.txt', 'update', { path: 'b/new.txt', content: 'new\n' });
    assert.equal(moved.status, 303, moved.text);
    assert.equal(await textOf('old.txt'), undefined);
    assert.equal(await textOf('b/new.txt'), 'new\n');
  });

  test('change and delete a file whose name ends with a space, and not its neighbour', async () => {
    await commitFiles(forge, name, 'main', { 'twin.txt': 'same\n', 'twin.txt ': 'same\n' });
    const edited = { path: 'twin.txt ', content: 'other\n' };
    const changed = await act('edit/main/twin.txt%20', 'update', edited);
    assert.equal(changed.status, 303, changed.text);
    assert.deepEqual(
      [await textOf('twin.txt'), await textOf('twin.txt%20')],
      ['same\n', 'other\n'],
    );
    await commitFiles(forge, name, 'main', { 'twin.txt ': 'same\n' });
    await own.get(`/${name}/delete/main/twin.txt%20`);
    assert.equal((await own.submit(`/${name}/files/delete`, { target: 'present' })).status, 303);
    assert.deepEqual(
      [await textOf('twin.txt'), await textOf('twin.txt%20')],
      ['same\n', undefined],
    );
  });

  test('do not offer what a form cannot send', async () => {
    for (const [file, why] of [
      ['latin1.txt', /no text in UTF-8/],
      ['long.txt', /too long for a form/],
    ] as const) {
      const { text } = await own.get(`/${name}/edit/main/${file}`);
      assert.match(text, why);
      assert.doesNotMatch(text, /files\/update/);
    }
  });

  test('say when a file was changed meanwhile, and replace it only after that', async () => {
    await commitFiles(forge, name, 'main', { 'both.txt': 'one\n' });
    await own.get(`/${name}/edit/main/both.txt`);
    await commitFiles(forge, name, 'main', { 'both.txt': 'theirs\n' });
    const fields = { target: 'present', path: 'both.txt', content: 'mine\n' };
    const refused = await own.submit(`/${name}/files/update`, fields);
    assert.equal(refused.status, 409);
    assert.match(refused.text, /changed after you opened it/);
    assert.match(refused.text, /mine\n<\/textarea>/);
    assert.equal(await textOf('both.txt'), 'theirs\n');
    assert.equal((await own.submit(`/${name}/files/update`, fields)).status, 303);
    assert.equal(await textOf('both.txt'), 'mine\n');
    await own.get(`/${name}/delete/main/both.txt`);
    await commitFiles(forge, name, 'main', { 'both.txt': 'theirs again\n' });
    assert.equal((await own.submit(`/${name}/files/delete`, { target: 'present' })).status, 409);
  });

  test('delete a file', async () => {
    await commitFiles(forge, name, 'main', { 'gone.txt': 'x\n' });
    const response = await act('delete/main/gone.txt', 'delete', {});
    assert.equal(response.status, 303, response.text);
    assert.equal(await textOf('gone.txt'), undefined);
    assert.equal((await lastCommit()).commit.message, 'Delete gone.txt');
  });

  test('commit to a new branch, with a pull', async () => {
    const { sha } = await lastCommit();
    const fields = { content: 'changed\n', target: 'new', new_branch: 'topic', title: 'Change a' };
    const response = await act('edit/main/a.txt', 'update', { ...fields, open_pull: '1' });
    assert.equal(response.status, 303, response.text);
    const [, number] = /\/pull\/(\d+)$/.exec(response.headers['location'] ?? '') ?? [];
    const pull = (await owner.get(`/repos/${name}/pulls/${number}`)).body;
    assert.deepEqual([pull.title, pull.head.ref, pull.base.ref], ['Change a', 'topic', 'main']);
    assert.equal((await lastCommit()).sha, sha);
    assert.equal(await textOf('a.txt', 'topic'), 'changed\n');
    const again = await act('edit/main/a.txt', 'update', fields);
    assert.equal(again.status, 422);
    assert.match(again.text, /already exists/);
  });

  test('leave no branch behind when the change is refused', async () => {
    const fields = { path: 'a.txt', content: 'x', target: 'new', new_branch: 'left' };
    assert.equal((await act('new/main', 'create', fields)).status, 422);
    assert.equal((await owner.get(`/repos/${name}/branches/left`)).status, 404);
    assert.match(
      (await act('new/main', 'create', { ...fields, path: 'y', new_branch: '' })).text,
      /Name the new branch/,
    );
  });

  test('are refused on a protected branch with the reason, and go to a new one', async () => {
    await commitFiles(forge, name, 'guarded', { 'a.txt': 'x\n' });
    await owner.put(`/repos/${name}/branches/guarded/protection`, {
      required_status_checks: null,
      enforce_admins: true,
      required_pull_request_reviews: { required_approving_review_count: 1 },
      restrictions: null,
    });
    const shown = await own.get(`/${name}/edit/guarded/a.txt`);
    assert.match(shown.text, /value="new"\s+checked/);
    const refused = await act('edit/guarded/a.txt', 'update', { content: 'y\n' });
    assert.equal(refused.status, 422, refused.text);
    assert.match(refused.text, /role="alert">[^<]*review/);
    const to = { content: 'y\n', target: 'new', new_branch: 'unguarded' };
    assert.equal((await act('edit/guarded/a.txt', 'update', to)).status, 303);
  });

  test('upload files as one commit', async () => {
    const { sha } = await lastCommit();
    const refused = await upload({});
    assert.equal(refused.status, 422);
    assert.match(refused.text, /Choose a file/);
    const files = { 'up.txt': 'up\n', 'C:\\x\\down.bin': '\0\xff', 'empty.txt': '' };
    const response = await upload(files, { folder: 'src', title: 'Add both' });
    assert.equal(response.status, 303, response.text);
    assert.equal(await textOf('src/up.txt'), 'up\n');
    assert.equal(await textOf('src/empty.txt'), '');
    assert.ok((await textOf('src/down.bin'))?.startsWith('\0'));
    const { commit, parents } = await lastCommit();
    assert.equal(commit.message, 'Add both');
    assert.equal(parents[0].sha, sha);
    const fresh = { target: 'new', new_branch: 'uploaded' };
    assert.equal((await upload({ 'up.txt': 'new\n' }, fresh)).status, 303);
    assert.equal(await textOf('up.txt', 'uploaded'), 'new\n');
  });

  test('upload no file in the place of a folder', async () => {
    await upload({ 'kept.txt': 'kept\n' }, { folder: 'folder' });
    const { sha } = await lastCommit();
    const refused = await upload({ folder: 'x' });
    assert.equal(refused.status, 422, refused.text);
    assert.match(refused.text, /folder is a directory/);
    assert.equal((await lastCommit()).sha, sha);
    assert.equal(await textOf('folder/kept.txt'), 'kept\n');
  });

  test('begin an empty repository by an upload', async () => {
    const empty = await forge.repository(owner);
    assert.match((await own.get(`/${empty}`)).text, /\/upload\/main">Upload files</);
    const refused = await upload({ 'a/../b': 'x' }, { folder: '..' }, { to: empty });
    assert.equal(refused.status, 422, refused.text);
    const done = await upload({ 'up.txt': 'up\n', 'x.txt': '' }, { folder: 'src' }, { to: empty });
    assert.equal(done.status, 303, done.text);
    const { body } = await owner.get(`/repos/${empty}/contents/src`);
    assert.deepEqual(
      body.map((entry: { path: string }) => entry.path),
      ['src/up.txt', 'src/x.txt'],
    );
    const { body: commits } = await owner.get(`/repos/${empty}/commits`);
    assert.deepEqual([commits.length, commits[0].parents], [1, []]);
    // It has begun.
    const other = await upload({ 'z.txt': 'z' }, { branch: 'absent' }, { to: empty });
    assert.match(other.text, /You may not do this, or it is not there any more/);
  });

  test('begin an empty repository', async () => {
    const empty = await forge.repository(owner);
    assert.match((await own.get(`/${empty}`)).text, /Create a file/);
    const opened = await own.get(`/${empty}/new/main`);
    assert.equal(opened.status, 200);
    const fields = { path: 'README.md', content: '# Begun\n', target: 'present' };
    const response = await own.submit(`/${empty}/files/create`, fields);
    assert.equal(response.status, 303, response.text);
    assert.match((await own.get(`/${empty}`)).text, /Begun/);
  });

  test('change nothing in an archived repository', async () => {
    const settled = await forge.repository(owner, { init: true });
    await owner.patch(`/repos/${settled}`, { archived: true });
    const shown = await own.get(`/${settled}/new/main`);
    assert.equal(shown.status, 403);
    assert.match(shown.text, /archived/);
  });
});
