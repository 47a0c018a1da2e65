import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('reading contents', () => {
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;
  let name: string;
  let contents: string;
  let api: string;

  const modules = `[submodule "lib"]
\tpath = vendor/lib
\turl = https://example.test/lib.git
[submodule "near"]
\turl = "../near.git"
\tpath = near
`;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    outsider = await forge.user('stranger');
    name = await forge.repository(owner);
    contents = `/repos/${name}/contents`;
    api = `http://forge.test/api/v3${contents}`;
    const main = await commitFiles(forge, name, 'main', {
      'README.md': '# Hello\n\n<script>x</script>\n',
      'docs/README.txt': 'plain\n',
      'src/ü #1?.txt': 'umlaut\n',
      'a%2Fb': 'percent\n',
      'bin/data': Buffer.from([0, 255, 1]),
      '.gitmodules': modules,
    });
    const git = `/repos/${name}/git`;
    const commit = '7'.repeat(40);
    const tree = await owner.post(`${git}/trees`, {
      base_tree: main,
      tree: [
        { path: 'link', mode: '120000', content: 'src/ü #1?.txt' },
        { path: 'bin/up', mode: '120000', content: '../README.md' },
        { path: 'bin/out', mode: '120000', content: '../../etc/passwd' },
        { path: 'bin/absolute', mode: '120000', content: '/etc/passwd' },
        { path: 'bin/dir', mode: '120000', content: '../src' },
        { path: 'loop', mode: '120000', content: 'loop' },
        { path: 'vendor/lib', mode: '160000', type: 'commit', sha: commit },
        { path: 'near', mode: '160000', type: 'commit', sha: commit },
        { path: 'run', mode: '100755', content: '#!/bin/sh\n' },
      ],
    });
    const created = await owner.post(`${git}/commits`, {
      message: 'More',
      tree: tree.body.sha,
      parents: [main],
    });
    await owner.patch(`${git}/refs/heads/main`, { sha: created.body.sha });
  });
  after(() => forge.close());

  test('contents of a private repository are hidden from users without access', async () => {
    const hidden = await forge.repository(owner, { private: true, init: true });
    for (const tail of ['contents', 'contents/README.md', 'readme']) {
      assert.equal((await outsider.get(`/repos/${hidden}/${tail}`)).status, 404, tail);
      assert.equal((await owner.get(`/repos/${hidden}/${tail}`)).status, 200, tail);
    }
  });

  test('an empty repository has no contents, and an unknown revision is named', async () => {
    const empty = await forge.repository(owner);
    for (const tail of ['contents', 'contents/x', 'readme']) {
      const response = await owner.get(`/repos/${empty}/${tail}`);
      assert.equal(response.status, 404);
      assert.equal(response.body.message, 'This repository is empty.');
    }
    for (const ref of ['absent', '-x', 'main..main', '1'.repeat(40), 'a\0b']) {
      const response = await owner.get(`${contents}/README.md?ref=${encodeURIComponent(ref)}`);
      assert.equal(response.status, 404);
      assert.equal(response.body.message, `No commit found for the ref ${ref}`);
    }
  });

  test('a path that leads nowhere, or out, is not found', async () => {
    for (const path of [
      'absent',
      'README.md/x',
      'readme.md',
      '%2e%2e%2fetc',
      'src/%2E%2E%2FREADME.md',
      '.git/config',
      '-x',
      'src%00',
      '%2F%2Fetc',
      `${'x/'.repeat(500)}x`,
    ]) {
      assert.equal((await owner.get(`${contents}/${path}`)).status, 404, path);
    }
  });

  test('a file comes in base 64 with all its URLs', async () => {
    const { body, status } = await owner.get(`${contents}/README.md`);
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), [
      'name',
      'path',
      'sha',
      'size',
      'url',
      'html_url',
      'git_url',
      'download_url',
      'type',
      '_links',
      'content',
      'encoding',
    ]);
    assert.equal(Buffer.from(body.content, 'base64').toString(), '# Hello\n\n<script>x</script>\n');
    assert.match(body.content, /\n$/);
    assert.equal(body.type, 'file');
    assert.equal(body.size, 28);
    assert.equal(body.url, `${api}/README.md?ref=main`);
    assert.equal(body.html_url, `http://forge.test/${name}/blob/main/README.md`);
    assert.equal(body.download_url, `http://forge.test/${name}/raw/main/README.md`);
    assert.equal(body.git_url, `http://forge.test/api/v3/repos/${name}/git/blobs/${body.sha}`);
    assert.deepEqual(body['_links'], { self: body.url, git: body.git_url, html: body.html_url });
    assert.equal((await owner.get(new URL(body.url).pathname)).body.sha, body.sha);
  });

  test('names with every kind of character are found by the URLs that lists give', async () => {
    const src = await owner.get(`${contents}/src/`);
    assert.equal(src.body[0].path, 'src/ü #1?.txt');
    const url = new URL(src.body[0].url);
    assert.equal(url.pathname, `/api/v3${contents}/src/%C3%BC%20%231%3F.txt`);
    const file = await owner.get(url.pathname + url.search);
    assert.equal(Buffer.from(file.body.content, 'base64').toString(), 'umlaut\n');
    const percent = await owner.get(`${contents}/a%252Fb`);
    assert.equal(percent.body.path, 'a%2Fb');
    assert.equal(percent.body.url, `${api}/a%252Fb?ref=main`);
  });

  test('a directory is listed with the kinds of what is in it', async () => {
    for (const path of [contents, `${contents}/`]) {
      const { body } = await owner.get(path);
      const kinds = body.map((entry: { path: string; type: string; size: number }) => [
        entry.path,
        entry.type,
      ]);
      assert.deepEqual(kinds, [
        ['.gitmodules', 'file'],
        ['README.md', 'file'],
        ['a%2Fb', 'file'],
        ['bin', 'dir'],
        ['docs', 'dir'],
        ['link', 'symlink'],
        ['loop', 'symlink'],
        ['near', 'file'],
        ['run', 'file'],
        ['src', 'dir'],
        ['vendor', 'dir'],
      ]);
      const dir = body.find((entry: { path: string }) => entry.path === 'docs');
      assert.equal(dir.size, 0);
      assert.equal(dir.download_url, null);
      assert.equal(dir.html_url, `http://forge.test/${name}/tree/main/docs`);
      assert.equal(dir.git_url, `http://forge.test/api/v3/repos/${name}/git/trees/${dir.sha}`);
      assert.ok(body.every((entry: object) => !('content' in entry)));
    }
  });

  test('the bytes of a file come as they are', async () => {
    const accept = 'application/vnd.github.V3.raw';
    const response = await owner.get(`${contents}/bin/data`, { accept });
    assert.deepEqual(response.bytes, Buffer.from([0, 255, 1]));
    assert.equal(response.headers['content-type'], `${accept}; charset=utf-8`);
    assert.equal(response.headers['x-content-type-options'], 'nosniff');
    assert.ok(Array.isArray((await owner.get(contents, { accept })).body));
  });

  test('a file too large for JSON comes without its content, and raw with it', async () => {
    const large = Buffer.alloc(1024 * 1024 + 1, 'x');
    const sha = await commitFiles(forge, name, 'large', { large });
    const { body } = await owner.get(`${contents}/large?ref=${sha}`);
    assert.equal(body.size, large.length);
    assert.equal(body.content, '');
    assert.equal(body.encoding, 'none');
    const raw = await owner.get(`${contents}/large?ref=large`, {
      accept: 'application/vnd.github.raw',
    });
    assert.ok(raw.bytes.equals(large));
  });

  test('a link to a file is followed inside the repository, and no other', async () => {
    const followed = await owner.get(`${contents}/link`);
    assert.equal(followed.body.type, 'file');
    assert.equal(followed.body.path, 'src/ü #1?.txt');
    const up = await owner.get(`${contents}/bin/up`);
    assert.equal(up.body.path, 'README.md');
    for (const [path, target] of [
      ['bin/out', '../../etc/passwd'],
      ['bin/absolute', '/etc/passwd'],
      ['bin/dir', '../src'],
      ['loop', 'loop'],
    ] as const) {
      const { body } = await owner.get(`${contents}/${path}`);
      assert.equal(body.type, 'symlink', path);
      assert.equal(body.target, target);
      assert.equal(body.content, undefined);
    }
  });

  test('a submodule says where it comes from', async () => {
    const far = (await owner.get(`${contents}/vendor/lib`)).body;
    assert.equal(far.type, 'submodule');
    assert.equal(far.submodule_git_url, 'https://example.test/lib.git');
    assert.equal(far.sha, '7'.repeat(40));
    assert.deepEqual(
      [far.size, far.html_url, far.git_url, far.download_url],
      [0, null, null, null],
    );
    const near = (await owner.get(`${contents}/near`)).body;
    assert.equal(near.submodule_git_url, 'http://forge.test/own/near.git');
  });

  test('contents are shown at any revision', async () => {
    await commitFiles(forge, name, 'side/branch', { only: 'here\n' });
    assert.equal((await owner.get(`${contents}/only`)).status, 404);
    const { body } = await owner.get(`${contents}/only?ref=side/branch`);
    assert.equal(body.url, `${api}/only?ref=side%2Fbranch`);
    assert.equal(body.html_url, `http://forge.test/${name}/blob/side/branch/only`);
    assert.equal((await owner.get(`${contents}/only?ref=refs/heads/side/branch`)).status, 200);
  });

  test('a readme is found, Markdown first, and can be had raw or as HTML', async () => {
    const readme = await owner.get(`/repos/${name}/readme`);
    assert.equal(readme.body.path, 'README.md');
    const raw = await owner.get(`/repos/${name}/readme`, { accept: 'application/vnd.github.raw' });
    assert.equal(raw.text, '# Hello\n\n<script>x</script>\n');
    const accept = 'application/vnd.github.v3.html';
    const html = await owner.get(`/repos/${name}/readme`, { accept });
    assert.equal(html.headers['content-type'], `${accept}; charset=utf-8`);
    assert.match(html.text, /<h1>Hello<\/h1>/);
    assert.doesNotMatch(html.text, /<script>/);
    const plain = await owner.get(`${contents}/docs/README.txt`, { accept });
    assert.equal(plain.status, 406);
    const other = await forge.repository(owner);
    await commitFiles(forge, other, 'main', { 'README.md': '# [Long](a.md)\n\n'.repeat(5000) });
    const long = await owner.get(`/repos/${other}/readme`, { accept });
    assert.match(long.text, /^(?:<h1><a href="a\.md">Long<\/a><\/h1>\n?){5000}$/);
  });

  test('a readme may be elsewhere, of another kind, or not at all', async () => {
    const other = await forge.repository(owner);
    const readme = (ref: string) => owner.get(`/repos/${other}/readme?ref=${ref}`);
    await commitFiles(forge, other, 'none', { 'readme-not.md': 'x', 'READMEs/x': 'x' });
    await commitFiles(forge, other, 'docs', { 'docs/readme.MD': 'x' });
    await commitFiles(forge, other, 'text', {
      README: 'x',
      'README.rst': 'x',
      'docs/README.md': 'x',
    });
    await commitFiles(forge, other, 'github', { 'README.md': 'x', '.github/README': 'x' });
    assert.equal((await readme('none')).status, 404);
    assert.equal((await readme('docs')).body.path, 'docs/readme.MD');
    assert.equal((await readme('text')).body.path, 'README.rst');
    assert.equal((await readme('github')).body.path, '.github/README');
  });
});
