import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles, repositoryId } from '../testing/commits.ts';
import {
  startTestForge,
  type TestForge,
  type TestResponse,
  type TestUser,
} from '../testing/test-forge.ts';
import { encodeBase64Lines } from './base64.ts';

describe('objects', () => {
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;
  let name: string;
  let git: string;
  let main: string;
  let mainTree: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    outsider = await forge.user('stranger');
    name = await forge.repository(owner);
    git = `/repos/${name}/git`;
    main = await commitFiles(forge, name, 'main', { 'a.txt': 'a\n', 'src/b.txt': 'b\n' });
    mainTree = (await owner.get(`${git}/commits/${main}`)).body.tree.sha;
  });
  after(() => forge.close());

  test('only users who may push can create objects', async () => {
    const bodies: Record<string, object> = {
      blobs: { content: 'x' },
      trees: { tree: [] },
      commits: { message: 'x', tree: mainTree },
      tags: { tag: 'v1', message: 'x', object: main, type: 'commit' },
    };
    for (const [kind, body] of Object.entries(bodies)) {
      assert.equal((await outsider.post(`${git}/${kind}`, body)).status, 404, kind);
      assert.equal((await forge.anonymous.post(`${git}/${kind}`, body)).status, 404, kind);
    }
  });

  test('an object is asked for by its whole id', async () => {
    const blob = await owner.get(`${git}/blobs/abc`);
    assert.equal(blob.status, 422);
    assert.match(blob.body.message, /must be exactly 40 characters and contain only \[0-9a-f\]/);
    for (const kind of ['commits', 'tags', 'trees', 'blobs']) {
      assert.equal((await owner.get(`${git}/${kind}/${'1'.repeat(40)}`)).status, 404, kind);
    }
    assert.equal((await owner.get(`${git}/blobs/${main}`)).status, 404);
    assert.equal((await owner.get(`${git}/commits/${mainTree}`)).status, 404);
    assert.equal((await owner.get(`${git}/commits/main`)).status, 404);
    assert.equal((await owner.get(`${git}/tags/${main}`)).status, 404);
  });

  test('a blob comes back as it was given, in lines of 60 characters', async () => {
    const content = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const created = await owner.post(`${git}/blobs`, {
      content: content.toString('base64'),
      encoding: 'base64',
    });
    assert.equal(created.status, 201, created.text);
    assert.equal(created.headers['location'], created.body.url);
    const blob = await owner.get(`${git}/blobs/${created.body.sha}`);
    assert.equal(blob.body.encoding, 'base64');
    assert.equal(blob.body.size, 256);
    assert.deepEqual(Buffer.from(blob.body.content, 'base64'), content);
    const lines: string[] = blob.body.content.split('\n');
    assert.equal(lines.pop(), '');
    assert.ok(lines.slice(0, -1).every((line) => line.length === 60));
    const raw = await owner.get(`${git}/blobs/${created.body.sha}`, {
      accept: 'application/vnd.github.v3.raw',
    });
    assert.deepEqual(raw.bytes, content);
    assert.equal(raw.headers['content-type'], 'application/vnd.github.v3.raw; charset=utf-8');
  });

  test('a large blob is encoded while it is read, byte for byte as a small one', async () => {
    for (const size of [1024 * 1024 + 1, 1024 * 1024 + 2, 1024 * 1024 + 44, 1024 * 1024 + 45 * 3]) {
      const content = Buffer.alloc(size, 'large ');
      const id = await forge.git.repository(await repositoryId(forge, name)).writeBlob(content);
      const path = `${git}/blobs/${id}`;
      const blob = await owner.get(path);
      assert.deepEqual(Object.keys(blob.body), [
        'sha',
        'node_id',
        'size',
        'url',
        'content',
        'encoding',
      ]);
      assert.equal(blob.body.content, encodeBase64Lines(content));
      assert.equal(blob.headers['content-length'], String(blob.bytes.length));
      assert.equal(blob.body.size, size);
      const tag = blob.headers['etag'] ?? '';
      assert.equal((await owner.get(path, { 'if-none-match': tag })).status, 304);
      const raw = await owner.get(path, { accept: 'application/vnd.github.v3.raw' });
      assert.deepEqual([raw.bytes.equals(content), raw.headers['etag'] === tag], [true, false]);
      assert.equal((await owner.get(`${path}?callback=f`)).body, undefined);
    }
  });

  test('a blob of text is UTF-8', async () => {
    const created = await owner.post(`${git}/blobs`, { content: 'grün 🎉\n' });
    const blob = await owner.get(`${git}/blobs/${created.body.sha}`);
    assert.equal(Buffer.from(blob.body.content, 'base64').toString(), 'grün 🎉\n');
    const empty = await owner.post(`${git}/blobs`, { content: '', encoding: 'utf-8' });
    assert.equal(empty.body.sha, 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391');
  });

  test('a blob is not made of what is no base 64', async () => {
    for (const content of ['a', 'abc!', 'ab=c', '{}', `${'='.repeat(5000)}x`, '-_-_']) {
      const response = await owner.post(`${git}/blobs`, { content, encoding: 'base64' });
      assert.equal(response.status, 422, content);
      assert.equal(response.body.message, 'content is not valid Base64');
    }
    const encoding = await owner.post(`${git}/blobs`, { content: '', encoding: 'utf-16' });
    assert.match(
      encoding.body.errors[0].message,
      /utf-16 is not a member of \["utf-8", "base64"\]/,
    );
  });

  test('a blob of several megabytes is taken', async () => {
    const content = Buffer.alloc(6_000_000, 'x');
    const created = await owner.post(`${git}/blobs`, {
      content: content.toString('base64'),
      encoding: 'base64',
    });
    assert.equal(created.status, 201, created.text.slice(0, 200));
    const blob = await owner.get(`${git}/blobs/${created.body.sha}`);
    assert.equal(blob.body.size, content.length);
  });

  test('a tree is found by its id, a commit, a branch, and a path after a colon', async () => {
    const byBranch = await owner.get(`${git}/trees/main`);
    assert.equal(byBranch.body.sha, mainTree);
    assert.deepEqual(
      byBranch.body.tree.map((entry: { path: string }) => entry.path),
      ['a.txt', 'src'],
    );
    assert.equal(byBranch.body.truncated, false);
    for (const words of [mainTree, main, 'heads/main', 'refs/heads/main']) {
      assert.deepEqual((await owner.get(`${git}/trees/${words}`)).body, byBranch.body, words);
    }
    const src = await owner.get(`${git}/trees/main:src`);
    assert.equal(src.body.tree[0].path, 'b.txt');
    for (const words of ['main:a.txt', 'main:absent', 'main:../x', 'absent', 'main:src/..']) {
      assert.equal((await owner.get(`${git}/trees/${words}`)).status, 404, words);
    }
  });

  test('a tree is listed with all that is in it for any value of recursive', async () => {
    for (const value of ['1', '0', 'false', '']) {
      const response = await owner.get(`${git}/trees/main?recursive=${value}`);
      assert.deepEqual(
        response.body.tree.map((entry: { path: string; type: string; mode: string }) => [
          entry.mode,
          entry.type,
          entry.path,
        ]),
        [
          ['100644', 'blob', 'a.txt'],
          ['040000', 'tree', 'src'],
          ['100644', 'blob', 'src/b.txt'],
        ],
      );
    }
  });

  test('the tree of an empty repository is a conflict', async () => {
    const empty = await forge.repository(owner);
    const response = await owner.get(`/repos/${empty}/git/trees/main`);
    assert.equal(response.status, 409);
    assert.equal(response.body.message, 'Git Repository is empty.');
  });

  test('a tree is made of a base with entries added, replaced and removed', async () => {
    const created = await owner.post(`${git}/trees`, {
      base_tree: main,
      tree: [
        { path: 'src/c/d.sh', mode: '100755', type: 'blob', content: '#!/bin/sh\n' },
        { path: 'src/b.txt', mode: '100644', type: 'blob', content: 'changed\n' },
        { path: 'a.txt', mode: '100644', type: 'blob', sha: null },
        { path: 'link', mode: '120000', content: 'src/b.txt' },
        { path: 'lib', mode: '160000', type: 'commit', sha: '2'.repeat(40) },
        { path: 'copy', mode: '040000', type: 'tree', sha: mainTree },
      ],
    });
    assert.equal(created.status, 201, created.text);
    assert.equal(created.headers['location'], created.body.url);
    const whole = await owner.get(`${git}/trees/${created.body.sha}?recursive=1`);
    const found = whole.body.tree.map((entry: { path: string; mode: string }) => [
      entry.mode,
      entry.path,
    ]);
    assert.deepEqual(found, [
      ['040000', 'copy'],
      ['100644', 'copy/a.txt'],
      ['040000', 'copy/src'],
      ['100644', 'copy/src/b.txt'],
      ['160000', 'lib'],
      ['120000', 'link'],
      ['040000', 'src'],
      ['100644', 'src/b.txt'],
      ['040000', 'src/c'],
      ['100755', 'src/c/d.sh'],
    ]);
    const lib = whole.body.tree.find((entry: { path: string }) => entry.path === 'lib');
    assert.deepEqual(Object.keys(lib), ['path', 'mode', 'type', 'sha']);
  });

  test('each of many contents of a tree is at its path', async () => {
    const { sha } = (await owner.post(`${git}/blobs`, { content: 'known' })).body;
    const tree = Array.from({ length: 300 }, (_, index) => ({
      path: `folder ${index}/file`,
      mode: '100644',
      ...(index % 3 === 0 ? { sha } : { content: `text ${index % 150}` }),
    }));
    const created = await owner.post(`${git}/trees`, { tree });
    assert.equal(created.status, 201, created.text);
    for (const index of [0, 1, 151, 299]) {
      const at = `${git}/trees/${created.body.sha}:folder%20${index}`;
      const [file] = (await owner.get(at)).body.tree;
      const { content } = (await owner.get(`${git}/blobs/${file.sha}`)).body;
      const text = index === 0 ? 'known' : `text ${index % 150}`;
      assert.equal(Buffer.from(content, 'base64').toString(), text);
    }
  });

  test('folders are not put into others until git cannot read them any more', async () => {
    const nested = (levels: number, entry: object): Promise<TestResponse> => {
      const path = [...Array<string>(levels).fill('a'), 'x'].join('/');
      return owner.post(`${git}/trees`, { tree: [{ ...entry, path }] });
    };
    const file = { mode: '100644', content: 'x' };
    const inner = await nested(1023, file);
    assert.equal(inner.status, 201, inner.text);
    const folder = { mode: '040000', sha: inner.body.sha };
    const most = await nested(1023, folder);
    assert.equal(most.status, 201, most.text);
    const refused = await nested(1024, folder);
    assert.equal(refused.status, 422, refused.text);
    assert.match(refused.body.message, /too deep inside of each other/);
    const again = await nested(1, { mode: '040000', sha: most.body.sha });
    assert.equal(again.status, 422, again.text);
  });

  test('a tree is not made of entries that cannot be', async () => {
    const good = { path: 'x', mode: '100644', type: 'blob', content: 'x' };
    const refused: readonly [entry: object, message: RegExp][] = [
      [{ ...good, path: '../x' }, /^tree.path contains a malformed path component$/],
      [{ ...good, path: '/x' }, /malformed path component/],
      [{ ...good, path: 'x/' }, /malformed path component/],
      [{ ...good, path: 'a//b' }, /malformed path component/],
      [{ ...good, path: '.git/config' }, /malformed path component/],
      [{ ...good, path: 'a/.GIT' }, /malformed path component/],
      [{ ...good, path: '' }, /malformed path component/],
      [{ ...good, mode: '100600' }, /tree.mode must be one of/],
      [{ ...good, type: 'tree' }, /tree.type tree does not match mode 100644/],
      [{ ...good, sha: main }, /either tree.sha or tree.content, not both/],
      [{ path: 'x', mode: '100644' }, /Must supply tree.sha or tree.content/],
      [{ path: 'x' }, /Invalid tree info/],
      [{ mode: '100644', content: '' }, /Invalid tree info/],
      [{ path: 'x', mode: '100644', sha: 'abc' }, /tree.sha parameter must be exactly 40/],
      [{ path: 'x', mode: '040000', content: 'x' }, /tree.content creates a blob/],
      [{ path: 'x', mode: '100644', sha: '3'.repeat(40) }, /^tree.sha 3+ is not a valid blob$/],
      [{ path: 'x', mode: '100644', sha: mainTree }, /is not a valid blob/],
      [{ path: 'x', mode: '040000', sha: main }, /is not a valid tree/],
      [{ path: 'absent', mode: '100644', sha: null }, /absent cannot be removed/],
    ];
    for (const [entry, message] of refused) {
      const response = await owner.post(`${git}/trees`, { base_tree: mainTree, tree: [entry] });
      assert.equal(response.status, 422, JSON.stringify(entry));
      assert.match(response.body.message, message, JSON.stringify(entry));
    }
    const base = await owner.post(`${git}/trees`, { base_tree: '4'.repeat(40), tree: [good] });
    assert.equal(base.body.message, 'base_tree is not a valid tree oid');
  });

  test('a commit is by the caller, now, in the zone asked for', async () => {
    const created = await owner.send('POST', `${git}/commits`, {
      body: { message: 'By the caller\n\nwith more', tree: mainTree, parents: [main] },
      headers: { 'time-zone': 'Asia/Kolkata' },
    });
    assert.equal(created.status, 201, created.text);
    assert.equal(created.headers['location'], created.body.url);
    const date = `${new Date(forge.clock.now()).toISOString().slice(0, 19)}Z`;
    const person = { name: 'The own', email: 'own@example.test', date };
    assert.deepEqual(created.body.author, person);
    assert.deepEqual(created.body.committer, person);
    assert.equal(created.body.message, 'By the caller\n\nwith more');
    assert.equal(created.body.parents[0].sha, main);
    assert.equal(created.body.verification.reason, 'unsigned');
    assert.deepEqual((await owner.get(`${git}/commits/${created.body.sha}`)).body, created.body);
    const { id } = (await owner.get(git.replace(/\/git$/, ''))).body;
    const commit = await forge.git.repository(id).readCommit(created.body.sha);
    assert.equal(commit?.author.offsetMinutes, 330);
  });

  test('a commit has the author, committer and dates it is given', async () => {
    const author = { name: 'Ann', email: 'ann@example.test', date: '2020-02-29T12:00:00-03:30' };
    const created = await owner.post(`${git}/commits`, { message: 'x', tree: mainTree, author });
    assert.equal(created.status, 201, created.text);
    assert.equal(created.body.author.date, '2020-02-29T15:30:00Z');
    assert.deepEqual(created.body.committer, created.body.author);
    assert.deepEqual(created.body.parents, []);
    const other = await owner.post(`${git}/commits`, {
      message: 'x',
      tree: mainTree,
      author,
      committer: { name: 'Bob', email: 'bob@example.test', date: '2021-01-01T00:00:00Z' },
    });
    assert.equal(other.body.author.name, 'Ann');
    assert.equal(other.body.committer.name, 'Bob');
    assert.equal(other.body.committer.date, '2021-01-01T00:00:00Z');
  });

  test('a commit is not made by half a person, at no time, or of objects that are not there', async () => {
    const refused: readonly [change: object, message: string | RegExp][] = [
      [{ committer: {} }, 'missing_field committer.email'],
      [{ committer: {} }, 'missing_field committer.name'],
      [{ author: { name: 'Ann' } }, 'missing_field author.email'],
      [{ author: { name: 'Ann' } }, `"email" wasn't supplied.`],
      [
        { author: { name: '<>', email: 'a@b.c' } },
        /contains no character that git allows in a name/,
      ],
      [
        { author: { name: 'A', email: 'a@b', date: 'yesterday' } },
        /"yesterday" is not a timestamp/,
      ],
      [{ author: { name: 'A', email: 'a@b', date: '2020-02-30T00:00:00Z' } }, /is not a timestamp/],
      [{ author: { name: 'A', email: 'a@b', date: '1969-12-31T23:59:59Z' } }, /is not a timestamp/],
      [{ author: 'Ann' }, /For 'properties\/author'/],
      [{ tree: main }, 'Tree SHA does not exist'],
      [{ tree: 'main' }, 'Tree SHA does not exist'],
      [{ parents: [mainTree] }, 'Parent SHA does not exist or is not a commit object'],
      [{ parents: ['5'.repeat(40)] }, 'Parent SHA does not exist or is not a commit object'],
      [{ parents: Array<string>(101).fill(main) }, 'invalid parents'],
      [{ signature: '-----BEGIN PGP SIGNATURE-----' }, /The API cannot create signed commits/],
    ];
    for (const [change, message] of refused) {
      const response = await owner.post(`${git}/commits`, {
        message: 'x',
        tree: mainTree,
        ...change,
      });
      assert.equal(response.status, 422, JSON.stringify(change));
      const errors: { code: string; field: string; message: string }[] = response.body.errors ?? [];
      const sent = [
        response.body.message,
        ...errors.flatMap((error) => [`${error.code} ${error.field}`, error.message]),
      ];
      const fits = (text: string): boolean =>
        typeof message === 'string' ? text === message : message.test(text);
      assert.ok(sent.some(fits), `${JSON.stringify(change)}: ${response.text}`);
    }
  });
});
