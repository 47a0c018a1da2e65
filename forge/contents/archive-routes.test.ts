import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';

import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('archives', () => {
  const run = promisify(execFile);
  let forge: TestForge;
  let owner: TestUser;
  let stranger: TestUser;
  let name: string;
  let sha: string;
  let folder: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    stranger = await forge.user('stranger');
    folder = await mkdtemp(join(tmpdir(), 'hob-archive-'));
    name = await forge.repository(owner, { name: 'tool' });
    sha = await commitFiles(forge, name, 'main', { 'a.txt': 'first\n', 'src/b.txt': 'second\n' });
    await commitFiles(forge, name, 'feature/x', { 'c.txt': 'third\n' });
    await owner.post(`/repos/${name}/git/refs`, { ref: 'refs/tags/v1.0', sha });
  });
  after(async () => {
    await forge.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** What `tar` finds in an archive. */
  async function unpacked(bytes: Buffer): Promise<string[]> {
    const file = join(folder, 'archive.tar');
    await writeFile(file, gunzipSync(bytes));
    const { stdout } = await run('tar', ['-tf', file]);
    return stdout.split('\n').filter((line) => line !== '' && !line.endsWith('/'));
  }

  test('are of a branch, a tag or a commit, in a folder named after owner, repository and commit', async () => {
    const top = `own-tool-${sha.slice(0, 7)}`;
    for (const ref of ['', '/main', '/v1.0', `/${sha}`, '/refs/heads/main', '/refs/tags/v1.0']) {
      const { status, bytes, headers } = await forge.anonymous.get(`/repos/${name}/tarball${ref}`, {
        accept: 'application/x-anything',
      });
      assert.equal(status, 200, ref);
      assert.deepEqual(await unpacked(bytes), [`${top}/a.txt`, `${top}/src/b.txt`], ref);
      assert.equal(headers['content-type'], 'application/x-gzip');
      assert.equal(headers['content-disposition'], `attachment; filename="${top}.tar.gz"`);
      assert.match(headers['content-security-policy'] ?? '', /sandbox/);
    }
    const zip = await forge.anonymous.get(`/repos/${name}/zipball/main`);
    assert.equal(zip.bytes.toString('latin1', 0, 4), 'PK\x03\x04');
    assert.ok(zip.bytes.includes(`${top}/src/b.txt`));
    const slashed = await forge.anonymous.get(`/repos/${name}/tarball/feature/x`);
    assert.match((await unpacked(slashed.bytes)).join(), /c\.txt$/);
    const head = await forge.anonymous.send('HEAD', `/repos/${name}/tarball/main`);
    assert.deepEqual(
      [head.status, head.text, head.headers['content-length']],
      [200, '', undefined],
    );
    assert.equal((await forge.anonymous.get(`/repos/${name}/tarball/none`)).status, 404);
    assert.equal((await forge.anonymous.get(`/repos/${name}/zipball/--help`)).status, 404);
  });

  test('have pages whose folder is named after the repository and the revision', async () => {
    const topOf = async (archive: string): Promise<string> => {
      const { status, bytes } = await forge.anonymous.get(`/${name}/archive/${archive}.tar.gz`);
      assert.equal(status, 200, archive);
      return (await unpacked(bytes))[0]?.split('/')[0] ?? '';
    };
    assert.equal(await topOf('refs/tags/v1.0'), 'tool-1.0');
    assert.equal(await topOf('v1.0'), 'tool-1.0');
    assert.equal(await topOf('refs/heads/main'), 'tool-main');
    assert.equal(await topOf('refs/heads/feature/x'), 'tool-feature-x');
    assert.equal(await topOf(sha), `tool-${sha}`);
    const zip = await forge.anonymous.get(`/${name}/archive/refs/tags/v1.0.zip`);
    assert.equal(zip.headers['content-disposition'], 'attachment; filename="tool-1.0.zip"');
    for (const archive of ['none.zip', 'main', 'main.rar', '.zip']) {
      assert.equal((await forge.anonymous.get(`/${name}/archive/${archive}`)).status, 404, archive);
    }
  });

  test('of hidden and empty repositories are not there', async () => {
    const hidden = await forge.repository(owner, { private: true, init: true });
    for (const path of [`/repos/${hidden}/zipball/main`, `/${hidden}/archive/main.zip`]) {
      assert.equal((await stranger.get(path)).status, 404, path);
      assert.equal((await owner.get(path)).status, 200, path);
    }
    const empty = await forge.repository(owner);
    assert.equal((await owner.get(`/repos/${empty}/zipball`)).status, 404);
  });
});
