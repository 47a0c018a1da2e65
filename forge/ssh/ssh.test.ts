import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { makeEcdsaKey, makeRsaKey } from '../testing/ssh-keys.ts';
import { type KeyFile, type SshForge, startSshForge, withoutOpenSsh } from '../testing/test-ssh.ts';
import type { TestUser } from '../testing/test-forge.ts';

const host = 'git@127.0.0.1';

describe('git over SSH', { skip: withoutOpenSsh }, () => {
  let site: SshForge;
  let owner: TestUser;
  let key: KeyFile;
  let stranger: TestUser;
  let strangersKey: KeyFile;

  before(async () => {
    site = await startSshForge();
    owner = await site.forge.user('own');
    key = await site.keyOf(owner);
    stranger = await site.forge.user('stranger');
    strangersKey = await site.keyOf(stranger);
  });
  after(() => site.close());

  async function clone(fullName: string, as = key): Promise<string> {
    const target = await mkdtemp(join(site.folder, 'clone-'));
    await site.mustGit(site.folder, as, 'clone', '-q', site.remote(fullName), target);
    return target;
  }

  async function commit(where: string, content: string): Promise<string> {
    await writeFile(join(where, 'file'), content);
    await site.mustGit(where, key, 'add', '-A');
    await site.mustGit(where, key, 'commit', '-qm', content);
    return (await site.mustGit(where, key, 'rev-parse', 'HEAD')).trim();
  }

  test('greets whom the key is of, by name, and has no shell', async () => {
    const greeting = await site.ssh(key, host);
    assert.deepEqual(
      [greeting.code, greeting.stdout, greeting.stderr.trim()],
      [1, '', "Hi own! You've successfully authenticated, but Hob does not provide shell access."],
    );
    for (const command of [
      'ls',
      'sh -c id',
      "git-upload-pack 'own/x.git'; id",
      'git-upload-pack --version',
      'git-shell',
      "git-upload-archive 'own/x.git'",
      'scp -t .',
      '\u0007\u001b[31m',
    ]) {
      const { code, stdout, stderr } = await site.ssh(key, host, command);
      assert.deepEqual([code, stdout], [1, ''], command);
      assert.match(stderr, /^ERROR: /, command);
    }
    const sftp = await site.ssh(key, '-s', host, 'sftp');
    assert.notEqual(sftp.code, 0);
    const forward = await site.ssh(
      key,
      '-o',
      'ExitOnForwardFailure=yes',
      '-R',
      '0:127.0.0.1:1',
      host,
    );
    assert.notEqual(forward.code, 0);
    const direct = await site.ssh(key, '-W', '127.0.0.1:1', host);
    assert.notEqual(direct.code, 0);
  });

  test('accepts known keys of the user git, with each algorithm, and nothing else', async () => {
    for (const pair of [
      makeEcdsaKey(256),
      makeEcdsaKey(384),
      makeEcdsaKey(521),
      makeRsaKey(2048),
    ]) {
      const other = await site.keyFile(pair);
      const refused = await site.ssh(other, host);
      assert.equal(refused.code, 255);
      assert.match(refused.stderr, /Permission denied \(publickey\)/);
      assert.equal((await owner.post('/user/keys', { key: other.publicKey })).status, 201);
      const accepted = await site.ssh(other, host);
      assert.match(accepted.stderr, /^Hi own!/, pair.publicKey);
    }
    const root = await site.ssh(key, 'root@127.0.0.1');
    assert.equal(root.code, 255);
    const weak = await site.ssh(key, '-o', 'Ciphers=aes128-cbc,3des-cbc', host);
    assert.match(weak.stderr, /no matching cipher/);
    const oldKex = await site.ssh(key, '-o', 'KexAlgorithms=diffie-hellman-group14-sha1', host);
    assert.match(oldKex.stderr, /no matching key exchange/);
  });

  for (const version of ['0', '1', '2']) {
    test(`clones, pushes and fetches in version ${version}`, async () => {
      const name = await site.forge.repository(owner, { init: true, private: true });
      const configured = ['-c', `protocol.version=${version}`];
      const [one, other] = [await clone(name), await clone(name)];
      const head = await commit(one, `version ${version}`);
      const pushed = await site.mustGit(one, key, ...configured, 'push', 'origin', 'HEAD:main');
      assert.match(pushed, /main/);
      const { body } = await owner.get(`/repos/${name}/branches/main`);
      assert.equal(body.commit.sha, head);
      await site.mustGit(other, key, ...configured, 'fetch', '-q');
      const fetched = await site.mustGit(other, key, 'rev-parse', 'origin/main');
      assert.equal(fetched.trim(), head);
      const again = await site.mustGit(one, key, ...configured, 'push', 'origin', 'HEAD:main');
      assert.match(again, /up-to-date/);
      await site.mustGit(one, key, ...configured, 'push', '-q', 'origin', 'HEAD:refs/heads/gone');
      await site.mustGit(one, key, ...configured, 'push', '-q', 'origin', ':refs/heads/gone');
      assert.equal((await owner.get(`/repos/${name}/branches/gone`)).status, 404);
      const events = await owner.get(`/repos/${name}/events`);
      assert.ok(events.body.some(({ type }: { type: string }) => type === 'PushEvent'));
    });
  }

  test('hides a private repository from others, and does not let them push to a public one', async () => {
    const hidden = await site.forge.repository(owner, { init: true, private: true });
    for (const name of [hidden, 'own/nothing', 'nobody/nothing']) {
      const { code, stderr } = await site.git(
        site.folder,
        strangersKey,
        'ls-remote',
        site.remote(name),
      );
      assert.equal(code, 128);
      assert.match(stderr, /ERROR: Repository not found\./);
    }
    const name = await site.forge.repository(owner, { init: true });
    const where = await clone(name, strangersKey);
    await commit(where, 'mine');
    const { code, stderr } = await site.git(where, strangersKey, 'push', 'origin', 'HEAD:main');
    assert.equal(code, 128);
    assert.match(stderr, /ERROR: You can read this repository but not push to it\./);
  });

  test('follows a renamed repository, and refuses a push to an archived one', async () => {
    const name = await site.forge.repository(owner, { init: true });
    const where = await clone(name);
    await owner.patch(`/repos/${name}`, { name: 'renamed' });
    const head = await commit(where, 'after');
    await site.mustGit(where, key, 'push', '-q', 'origin', 'HEAD:main');
    const { body } = await owner.get('/repos/own/renamed/branches/main');
    assert.equal(body.commit.sha, head);
    await owner.patch('/repos/own/renamed', { archived: true });
    await site.mustGit(where, key, 'fetch', '-q');
    const { stderr } = await site.git(where, key, 'push', 'origin', 'HEAD:other');
    assert.match(stderr, /ERROR: Repository was archived so is read-only\./);
  });

  test('shows why a push to a protected branch is refused, and takes the other branches', async () => {
    const name = await site.forge.repository(owner, { init: true });
    await owner.put(`/repos/${name}/branches/main/protection`, {
      required_status_checks: { strict: false, contexts: ['ci'] },
      enforce_admins: true,
      required_pull_request_reviews: null,
      restrictions: null,
    });
    const where = await clone(name);
    const head = await commit(where, 'straight');
    const { code, stderr } = await site.git(where, key, 'push', 'origin', 'HEAD:main', 'HEAD:side');
    assert.equal(code, 1);
    assert.match(stderr, /GH006: Protected branch update failed/);
    assert.match(stderr, /\[remote rejected\] HEAD -> main/);
    assert.equal((await owner.get(`/repos/${name}/branches/side`)).body.commit.sha, head);
    assert.notEqual((await owner.get(`/repos/${name}/branches/main`)).body.commit.sha, head);
  });

  test('gives a deploy key one repository, to read or to write', async () => {
    const name = await site.forge.repository(owner, { init: true, private: true });
    const other = await site.forge.repository(owner, { init: true });
    const [reader, writer] = [await site.keyFile(), await site.keyFile()];
    const path = `/repos/${name}/keys`;
    await owner.post(path, { key: reader.publicKey, read_only: true });
    const added = await owner.post(path, { key: writer.publicKey });
    const where = await clone(name, reader);
    const head = await commit(where, 'deployed');
    const refused = await site.git(where, reader, 'push', 'origin', 'HEAD:main');
    assert.match(
      refused.stderr,
      /ERROR: The key you are authenticating with has been marked as read only\./,
    );
    await site.mustGit(where, writer, 'push', '-q', 'origin', 'HEAD:main');
    assert.equal((await owner.get(`/repos/${name}/branches/main`)).body.commit.sha, head);
    const elsewhere = await site.git(where, writer, 'ls-remote', site.remote(other));
    assert.match(elsewhere.stderr, /ERROR: Repository not found\./);
    assert.match((await site.ssh(writer, host)).stderr, new RegExp(`^Hi ${name}!`));
    await site.forge.ports.background.idle();
    const used = await owner.get(`${path}/${added.body.id}`);
    assert.notEqual(used.body.last_used, null);
    await owner.put(`/repos/${name}/branches/main/protection`, {
      required_status_checks: { strict: false, contexts: ['ci'] },
      enforce_admins: false,
      required_pull_request_reviews: null,
      restrictions: null,
    });
    await commit(where, 'not checked');
    const ruled = await site.git(where, writer, 'push', 'origin', 'HEAD:main');
    assert.match(ruled.stderr, /GH006/, 'the exemption of who added the key is not the key’s');
    await owner.delete(`${path}/${added.body.id}`);
    const gone = await site.git(where, writer, 'fetch');
    assert.match(gone.stderr, /Permission denied/);
  });

  test('writes each command to the access log', async () => {
    const name = await site.forge.repository(owner, { init: true });
    const listing = site.nextCommand(name);
    await site.mustGit(site.folder, key, 'ls-remote', site.remote(name));
    const listed = await listing;
    assert.deepEqual(
      [listed.command, listed.repository, listed.client],
      ['git-upload-pack', name, '127.0.0.1'],
    );
    // git may leave as soon as it has what it wants.
    assert.notEqual(listed.exitStatus, 1);
    const refusing = site.nextCommand(undefined);
    await site.ssh(key, host, 'ls');
    const refused = await refusing;
    assert.deepEqual([refused.command, refused.exitStatus], [undefined, 1]);
  });
});
