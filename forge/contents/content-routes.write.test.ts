import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles, repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('writing contents', () => {
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;
  let name: string;
  let contents: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    outsider = await forge.user('stranger');
    name = await forge.repository(owner);
    contents = `/repos/${name}/contents`;
    await commitFiles(forge, name, 'main', { 'a.txt': 'a\n', 'src/b.txt': 'b\n' });
  });
  after(() => forge.close());

  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const put = (path: string, body: object, who: Pick<TestUser, 'put'> = owner) =>
    who.put(`${contents}/${path}`, { message: 'Change', content: base64('new\n'), ...body });
  const shaOf = async (path: string): Promise<string> =>
    (await owner.get(`${contents}/${path}`)).body.sha;
  const tip = async (): Promise<string> =>
    (await owner.get(`/repos/${name}/git/ref/heads/main`)).body.object.sha;

  test('only users who may push can change files', async () => {
    const sha = await shaOf('a.txt');
    for (const client of [outsider, forge.anonymous, await forge.withScopes(owner, ['user'])]) {
      assert.equal((await put('new', {}, client)).status, 404);
      const gone = await client.delete(`${contents}/a.txt`, { message: 'x', sha });
      assert.equal(gone.status, 404);
    }
  });

  const codes = ({ body }: { body: { errors: { field: string; code: string }[] } }): string[] =>
    body.errors.map(({ field, code }) => `${field} ${code}`);

  test('a change that does not say what it is is refused', async () => {
    const nothing = await owner.put(`${contents}/new`, {});
    assert.equal(nothing.status, 422);
    assert.deepEqual(codes(nothing), ['message missing_field', 'content missing_field']);
    assert.equal(
      (await put('new', { content: 'äöü' })).body.message,
      'content is not valid Base64',
    );
    const [error] = (await put('new', { sha: null })).body.errors;
    assert.match(error.message, /nil is not a string/);
    const half = await put('new', { committer: { name: 'Ann' } });
    assert.deepEqual(codes(half), ['committer.email missing_field']);
    const gone = await owner.delete(`${contents}/a.txt`, { message: 'x' });
    assert.deepEqual(codes(gone), ['sha missing_field']);
  });

  test('a file is not made where none can be', async () => {
    const old = await tip();
    const refused: readonly [path: string, status: number, message: RegExp][] = [
      ['%2e%2e%2fx', 422, /malformed path component/],
      ['.git/config', 422, /malformed path component/],
      ['src/.GIT/x', 422, /malformed path component/],
      ['x//y', 422, /malformed path component/],
      ['x%00', 422, /malformed path component/],
      ['src', 422, /src is a directory/],
      ['a.txt/x', 422, /a.txt is not a directory/],
      ['a.txt/x/y', 422, /a.txt is not a directory/],
    ];
    for (const [path, status, message] of refused) {
      const response = await put(path, {});
      assert.equal(response.status, status, `${path}: ${response.text}`);
      assert.match(response.body.message, message, path);
    }
    for (const branch of ['absent', '-x', 'a..b', '', 'x'.repeat(300)]) {
      const response = await put('new', { branch });
      assert.equal(response.status, 404, branch);
      assert.equal(response.body.message, `Branch ${branch} not found`);
    }
    assert.equal(await tip(), old);
  });

  test('a file that is there is replaced only by who says which it is', async () => {
    const old = await tip();
    const blind = await put('a.txt', {});
    assert.equal(blind.status, 422);
    assert.deepEqual(codes(blind), ['sha missing_field']);
    assert.equal(blind.body.errors[0].message, `"sha" wasn't supplied.`);
    for (const [path, sha] of [
      ['a.txt', '1'.repeat(40)],
      ['a.txt', 'main'],
      ['not-there', '1'.repeat(40)],
    ] as const) {
      const stale = await put(path, { sha });
      assert.equal(stale.status, 409);
      assert.equal(stale.body.message, `${path} does not match ${sha}`);
    }
    assert.equal(await tip(), old);
  });

  test('a file is made by a commit of the caller', async () => {
    const old = await tip();
    const created = await put('docs/ü #1?.txt'.split('/').map(encodeURIComponent).join('/'), {});
    assert.equal(created.status, 201, created.text);
    const { content, commit } = created.body;
    assert.equal(content.path, 'docs/ü #1?.txt');
    assert.equal(content.size, 4);
    assert.equal(content.type, 'file');
    assert.equal('content' in content, false);
    assert.equal(created.headers['location'], content.url);
    assert.equal(commit.sha, await tip());
    assert.deepEqual(
      commit.parents.map((parent: { sha: string }) => parent.sha),
      [old],
    );
    assert.equal(commit.author.email, 'own@example.test');
    assert.equal(commit.committer.name, 'Hob');
    assert.equal(commit.message, 'Change');
    const url = new URL(content.url);
    const read = await owner.get(url.pathname + url.search);
    assert.equal(Buffer.from(read.body.content, 'base64').toString(), 'new\n');
  });

  test('a file is replaced, and keeps its mode', async () => {
    const script = await owner.post(`/repos/${name}/git/trees`, {
      base_tree: await tip(),
      tree: [{ path: 'run', mode: '100755', content: '#!/bin/sh\n' }],
    });
    const commit = await owner.post(`/repos/${name}/git/commits`, {
      message: 'run',
      tree: script.body.sha,
      parents: [await tip()],
    });
    await owner.patch(`/repos/${name}/git/refs/heads/main`, { sha: commit.body.sha });
    const changed = await put('run', { sha: await shaOf('run') });
    assert.equal(changed.status, 200, changed.text);
    assert.equal(changed.headers['location'], undefined);
    const tree = await owner.get(`/repos/${name}/git/trees/main`);
    const entry = tree.body.tree.find((each: { path: string }) => each.path === 'run');
    assert.equal(entry.mode, '100755');
    assert.equal(entry.sha, changed.body.content.sha);
  });

  test('people, dates and zones are those asked for', async () => {
    const author = { name: 'Ann', email: 'ann@example.test', date: '2020-05-05T05:05:05+02:00' };
    const both = await put('people', {
      author,
      committer: { name: 'Bob', email: 'bob@example.test' },
    });
    assert.equal(both.body.commit.author.date, '2020-05-05T03:05:05Z');
    assert.equal(both.body.commit.committer.name, 'Bob');
    const committer = await put('committer', { committer: author });
    assert.equal(committer.body.commit.author.name, 'Ann');
    const zoned = await owner.send('PUT', `${contents}/zoned`, {
      body: { message: 'x', content: '', author: { ...author, date: '2020-07-01T12:00:00' } },
      headers: { 'time-zone': 'Europe/Berlin' },
    });
    assert.equal(zoned.body.commit.author.date, '2020-07-01T10:00:00Z');
    const git = forge.git.repository(await repositoryId(forge, name));
    const { author: written, committer: server } =
      (await git.readCommit(zoned.body.commit.sha)) ?? assert.fail();
    assert.equal(written.offsetMinutes, 120);
    assert.equal(server.offsetMinutes, 60);
  });

  test('a file is made on another branch, whose pull follows', async () => {
    await commitFiles(forge, name, 'topic/x', { t: '1\n' }, { parents: [await tip()] });
    const pull = await owner.post(`/repos/${name}/pulls`, {
      title: 'x',
      head: 'topic/x',
      base: 'main',
    });
    const created = await put('on-topic', { branch: 'topic/x' });
    assert.equal(created.status, 201, created.text);
    const followed = await owner.get(`/repos/${name}/pulls/${pull.body.number}`);
    assert.equal(followed.body.head.sha, created.body.commit.sha);
    assert.equal(followed.body.changed_files, 2);
    assert.equal((await owner.get(`${contents}/on-topic`)).status, 404);
  });

  test('a file is removed by who says which it is', async () => {
    const created = await put('folder/only', {});
    const path = `${contents}/folder/only`;
    const absent = await owner.delete(`${contents}/absent`, { message: 'x', sha: '1'.repeat(40) });
    assert.equal(absent.status, 404);
    const stale = await owner.delete(path, { message: 'x', sha: '1'.repeat(40) });
    assert.equal(stale.status, 409);
    const gone = await owner.delete(path, { message: 'Away', sha: created.body.content.sha });
    assert.equal(gone.status, 200, gone.text);
    assert.equal(gone.body.content, null);
    assert.equal(gone.body.commit.message, 'Away');
    assert.equal((await owner.get(path)).status, 404);
    assert.equal((await owner.get(`${contents}/folder`)).status, 404);
  });

  test('an empty repository begins with a file, and can end without any', async () => {
    const empty = await forge.repository(owner);
    const path = `/repos/${empty}/contents/first`;
    const created = await owner.put(path, { message: 'First', content: base64('1\n') });
    assert.equal(created.status, 201, created.text);
    assert.deepEqual(created.body.commit.parents, []);
    const gone = await owner.delete(path, { message: 'Last', sha: created.body.content.sha });
    assert.equal(gone.status, 200, gone.text);
    assert.deepEqual((await owner.get(`/repos/${empty}/contents`)).body, []);
  });

  test('concurrent changes of different files all succeed', async () => {
    const paths = ['at-once/1', 'at-once/2', 'at-once/3'];
    const responses = await Promise.all(paths.map((path) => put(path, {})));
    assert.deepEqual(
      responses.map((response) => response.status),
      [201, 201, 201],
    );
    const listed = await owner.get(`${contents}/at-once`);
    assert.deepEqual(
      listed.body.map((entry: { path: string }) => entry.path),
      paths,
    );
  });

  test('of concurrent changes of one file one succeeds, and the others get an error', async () => {
    const { sha } = (await put('raced', {})).body.content;
    const responses = await Promise.all(
      ['1', '2', '3'].map((text) => put('raced', { sha, content: base64(text) })),
    );
    assert.deepEqual(
      responses.map((response) => response.status).toSorted((one, other) => one - other),
      [200, 409, 409],
    );
    const stored = responses.find((response) => response.status === 200);
    assert.equal(await shaOf('raced'), stored?.body.content.sha);
  });

  test('a file of several megabytes is taken', async () => {
    const content = Buffer.alloc(8_000_000, 'x').toString('base64');
    const created = await put('large', { content });
    assert.equal(created.status, 201, created.text.slice(0, 300));
    assert.equal(created.body.content.size, 8_000_000);
  });

  test('a branch whose name begins like a ref is itself; other full ref names are the branches they name', async () => {
    const repository = await forge.repository(owner);
    const base = await commitFiles(forge, repository, 'main', { where: 'main\n' });
    const path = `/repos/${repository}/contents`;
    const file = { message: 'Add', content: base64('x\n') };
    const named = 'refs/heads/main';
    assert.equal((await owner.put(`${path}/one`, { ...file, branch: named })).status, 201);
    assert.equal((await owner.get(`${path}/one?ref=main`)).status, 200);
    await commitFiles(forge, repository, named, { where: 'itself\n' }, { parents: [base] });
    assert.equal((await owner.put(`${path}/two`, { ...file, branch: named })).status, 201);
    assert.equal((await owner.get(`${path}/two?ref=main`)).status, 404);
    assert.equal((await owner.get(`${path}/two?ref=${named}`)).status, 200);
    const merge = { base: named, head: 'main' };
    assert.equal((await owner.post(`/repos/${repository}/merges`, merge)).status, 201);
    assert.equal((await owner.get(`${path}/one?ref=${named}`)).status, 200);
  });
});
