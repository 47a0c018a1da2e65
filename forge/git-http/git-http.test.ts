import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { promisify } from 'node:util';

import { gitClientEnvironment } from '../testing/git-client.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { usualTransferLimits } from '../http/transfer-limiter.ts';

describe('git over HTTP', () => {
  const run = promisify(execFile);
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;
  let folder: string;
  let address: string;

  /** git as a user's own, without the machine's configuration. */
  async function git(where: string, ...words: string[]): Promise<string> {
    const { stdout, stderr } = await run('git', words, {
      cwd: where,
      env: gitClientEnvironment(folder),
    });
    return stdout + stderr;
  }

  function remote(user: TestUser | undefined, fullName: string): string {
    const credentials = user ? `${user.login}:${user.token}@` : '';
    return `http://${credentials}${address}/${fullName}.git`;
  }

  async function clone(user: TestUser, fullName: string): Promise<string> {
    const target = await mkdtemp(join(folder, 'clone-'));
    await git(folder, 'clone', '-q', remote(user, fullName), target);
    return target;
  }

  async function commit(
    where: string,
    name: string,
    content: string,
    message: string,
  ): Promise<string> {
    await mkdir(join(where, name, '..'), { recursive: true });
    await writeFile(join(where, name), content);
    await git(where, 'add', '-A');
    await git(where, 'commit', '-qm', message);
    return (await git(where, 'rev-parse', 'HEAD')).trim();
  }

  before(async () => {
    forge = await startTestForge();
    folder = await mkdtemp(join(tmpdir(), 'hob-git-http-'));
    address = await forge.listen();
    owner = await forge.user('own');
    outsider = await forge.user('stranger');
  });
  after(async () => {
    await forge.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('answers Git LFS in its media type, and alike for what is hidden and what is not there', async () => {
    const hidden = await forge.repository(owner, { private: true });
    const messages: string[] = [];
    for (const name of [hidden, 'nobody/nothing']) {
      for (const [method, tail] of [
        ['POST', 'objects/batch'],
        ['POST', 'locks/verify'],
        ['GET', 'locks?limit=1'],
        ['PUT', 'objects/0123'],
      ] as const) {
        for (const path of [`/${name}.git/info/lfs/${tail}`, `/${name}/info/lfs/${tail}`]) {
          const response = await forge.anonymous.send(method, path, {
            headers: { accept: 'application/vnd.git-lfs+json', 'user-agent': 'git-lfs/3.3.0' },
            ...(method === 'GET' ? {} : { body: { operation: 'upload', objects: [] } }),
          });
          assert.equal(response.status, 401, `${method} ${path}`);
          assert.equal(response.headers['lfs-authenticate'], 'Basic realm="Hob"');
          assert.match(response.headers['content-type'] ?? '', /^application\/vnd\.git-lfs\+json/);
          messages.push(JSON.parse(response.text).message);
        }
      }
    }
    assert.equal(new Set(messages).size, 1);
  });

  test('limits the transfers of one caller, and says when to retry', async () => {
    const name = await forge.repository(owner, { init: true });
    const { runningOfOneMax, waitingOfOneMax } = usualTransferLimits;
    const [host, port] = address.split(':');
    const authorization = `Basic ${Buffer.from(`${owner.login}:${owner.token}`).toString('base64')}`;
    const head = [
      `POST /${name}.git/git-upload-pack HTTP/1.1`,
      'Host: hob',
      `Authorization: ${authorization}`,
      'Content-Type: application/x-git-upload-pack-request',
      'Content-Length: 100',
      '\r\n',
    ].join('\r\n');
    // None of them sends its request to the end: what runs goes on running, what waits goes on waiting.
    const answered = Promise.withResolvers<string>();
    const sockets = Array.from({ length: runningOfOneMax + waitingOfOneMax + 1 }, () => {
      const socket = connect(Number(port), host, () => socket.write(head));
      socket.on('error', () => {});
      socket.once('data', (data) => answered.resolve(String(data)));
      return socket;
    });
    const response = await answered.promise;
    assert.match(response, /^HTTP\/1\.1 429 /);
    assert.match(response, /\r\nretry-after: 10\r\n/i);
    const gone = sockets.map((socket) => once(socket, 'close'));
    for (const socket of sockets) socket.destroy();
    await Promise.all(gone);
    const target = await clone(owner, name);
    assert.equal((await git(target, 'rev-list', '--count', 'HEAD')).trim(), '1');
  });

  test('takes no body that is not of the service it is sent to', async () => {
    const name = await forge.repository(owner, { init: true });
    for (const service of ['upload-pack', 'receive-pack']) {
      const other = service === 'upload-pack' ? 'receive-pack' : 'upload-pack';
      for (const type of [
        undefined,
        '',
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/json',
        `application/x-git-${service}-result`,
        `application/x-git-${other}-request`,
        `application/x-git-${service}-requests`,
      ]) {
        for (const client of [owner, forge.anonymous]) {
          const response = await client.send('POST', `/${name}.git/git-${service}`, {
            headers: type === undefined ? {} : { 'content-type': type },
            body: Buffer.from('0000'),
          });
          assert.equal(response.status, 415, `${service} ${type}`);
          assert.match(response.text, new RegExp(`application/x-git-${service}-request`));
        }
      }
      const right = await owner.send('POST', `/${name}.git/git-${service}`, {
        headers: { 'content-type': `Application/X-Git-${service}-Request` },
        body: Buffer.from('0000'),
      });
      assert.equal(right.status, 200, right.text);
    }
  });

  test('takes no body that is not what its encoding says', async () => {
    const name = await forge.repository(owner, { init: true });
    const post = async (service: string, body: Buffer): Promise<string> => {
      const headers = {
        'content-type': `application/x-git-${service}-request`,
        'content-encoding': 'gzip',
      };
      const path = `/${name}.git/git-${service}`;
      const { status, text } = await owner.send('POST', path, { headers, body });
      return `${status} ${text.trim()}`;
    };
    const whole = gzipSync(Buffer.from('0000'));
    for (const service of ['upload-pack', 'receive-pack']) {
      for (const body of [Buffer.from('0000'), whole.subarray(0, 12), Buffer.from([0x1f, 0x8b])]) {
        assert.equal(await post(service, body), '400 The body is not valid gzip.', service);
      }
      assert.match(await post(service, whole), /^200/);
    }
  });

  test('pushing without credentials, or without the right, is refused', async () => {
    const name = await forge.repository(owner, { init: true });
    const where = await clone(owner, name);
    await commit(where, 'a', '1', 'one');
    await assert.rejects(
      git(where, 'push', remote(undefined, name), 'HEAD:main'),
      /could not read Username/,
    );
    await assert.rejects(git(where, 'push', remote(outsider, name), 'HEAD:main'), /403/);
  });

  test('a private repository does not exist for users without access', async () => {
    const name = await forge.repository(owner, { init: true, private: true });
    await assert.rejects(git(folder, 'ls-remote', remote(outsider, name)), /not found/);
    await assert.rejects(
      git(folder, 'ls-remote', remote(undefined, name)),
      /could not read Username/,
    );
    assert.match(await git(folder, 'ls-remote', remote(owner, name)), /refs\/heads\/main/);
  });

  test('anybody clones a public repository, with and without .git', async () => {
    const name = await forge.repository(owner, { init: true });
    assert.match(await git(folder, 'ls-remote', `http://${address}/${name}`), /refs\/heads\/main/);
    assert.match(await git(folder, 'ls-remote', `http://${address}/${name}.git`), /HEAD/);
  });

  test('the first push to an empty repository makes its branch the default one', async () => {
    const name = await forge.repository(owner);
    const where = await mkdtemp(join(folder, 'new-'));
    await git(where, 'init', '-q', '-b', 'trunk');
    await commit(where, 'a', '1', 'one');
    await git(where, 'push', '-q', remote(owner, name), 'trunk');
    assert.equal((await owner.get(`/repos/${name}`)).body.default_branch, 'trunk');
    assert.notEqual((await owner.get(`/repos/${name}`)).body.pushed_at, null);
  });

  test('a push moves the head of an open pull, and a merged head ends it', async () => {
    const name = await forge.repository(owner, { init: true });
    const where = await clone(owner, name);
    await git(where, 'checkout', '-qb', 'topic');
    const first = await commit(where, 'a', '1', 'one');
    await git(where, 'push', '-q', 'origin', 'topic');
    const created = await owner.post(`/repos/${name}/pulls`, {
      title: 'T',
      head: 'topic',
      base: 'main',
    });
    assert.equal(created.status, 201, created.text);
    assert.equal(created.body.head.sha, first);
    assert.equal(created.body.mergeable, null);
    await forge.ports.background.idle();
    const tested = await owner.get(`/repos/${name}/pulls/1`);
    assert.equal(tested.body.mergeable, true);
    assert.equal(tested.body.mergeable_state, 'clean');

    const second = await commit(where, 'b', '2', 'two');
    await git(where, 'push', '-q', 'origin', 'topic');
    const moved = await owner.get(`/repos/${name}/pulls/1`);
    assert.equal(moved.body.head.sha, second);
    assert.equal(moved.body.commits, 2);
    assert.match(await git(where, 'ls-remote', 'origin', 'refs/pull/1/head'), new RegExp(second));

    await git(where, 'checkout', '-q', 'main');
    await git(where, 'merge', '-q', '--no-ff', '-m', 'by hand', 'topic');
    await git(where, 'push', '-q', 'origin', 'main');
    const merged = await owner.get(`/repos/${name}/pulls/1`);
    assert.equal(merged.body.merged, true);
    assert.equal(merged.body.state, 'closed');
    assert.equal(merged.body.merge_commit_sha, (await git(where, 'rev-parse', 'HEAD')).trim());
  });

  test('notes are pushed and fetched, and a repository is mirrored with them', async () => {
    const name = await forge.repository(owner, { init: true });
    const where = await clone(owner, name);
    await git(where, 'notes', 'add', '-m', 'Reviewed.', 'HEAD');
    await git(where, 'push', '-q', 'origin', 'refs/notes/commits');
    const other = await clone(owner, name);
    await git(other, 'fetch', '-q', 'origin', 'refs/notes/*:refs/notes/*');
    assert.match(await git(other, 'log', '-1'), /Reviewed\./);
    const listed = await owner.get(`/repos/${name}/git/matching-refs/notes`);
    const refs: { ref: string }[] = listed.body;
    assert.deepEqual(
      refs.map(({ ref }) => ref),
      ['refs/notes/commits'],
    );

    const copy = await forge.repository(owner);
    await git(other, 'push', '-q', '--mirror', remote(owner, copy));
    const mirrored = await git(other, 'ls-remote', remote(owner, copy), 'refs/*');
    for (const ref of ['refs/heads/main', 'refs/notes/commits', 'refs/remotes/origin/main']) {
      assert.ok(mirrored.includes(`\t${ref}\n`), `${ref} is not in\n${mirrored}`);
    }
    // What was deleted goes from the mirror, too.
    await git(other, 'update-ref', '-d', 'refs/notes/commits');
    await git(other, 'push', '-q', '--mirror', remote(owner, copy));
    assert.doesNotMatch(await git(other, 'ls-remote', remote(owner, copy)), /notes/);
  });

  test('notes require push access to the whole repository, not only to one branch', async () => {
    const name = await forge.repository(owner, { init: true });
    const contributor = await forge.user();
    const fork = (await contributor.post(`/repos/${name}/forks`)).body.full_name;
    const where = await clone(contributor, fork);
    await git(where, 'checkout', '-qb', 'topic');
    await commit(where, 'a', '1', 'one');
    await git(where, 'notes', 'add', '-m', 'Mine.', 'HEAD');
    await git(where, 'push', '-q', 'origin', 'topic');
    await assert.rejects(
      git(where, 'push', remote(contributor, name), 'refs/notes/commits'),
      /not push to it|403/,
    );
    const pull = await contributor.post(`/repos/${name}/pulls`, {
      title: 'T',
      head: `${contributor.login}:topic`,
      base: 'main',
      maintainer_can_modify: true,
    });
    assert.equal(pull.status, 201, pull.text);
    await assert.rejects(
      git(where, 'push', remote(owner, fork), 'refs/notes/commits'),
      /only to branches of pull requests that allow edits from maintainers/,
    );
  });

  test('pushes to the refs of pulls are refused', async () => {
    const name = await forge.repository(owner, { init: true });
    const where = await clone(owner, name);
    await commit(where, 'a', '1', 'one');
    await assert.rejects(git(where, 'push', 'origin', 'HEAD:refs/pull/9/head'), /remote:[^\n]*\w/);
  });

  test('the author of a pull lets the base’s maintainers push to its branch, and to no other', async () => {
    const name = await forge.repository(owner, { init: true });
    const contributor = await forge.user();
    const fork = (await contributor.post(`/repos/${name}/forks`)).body.full_name;
    const where = await clone(contributor, fork);
    await git(where, 'checkout', '-qb', 'idea');
    await commit(where, 'a', '1', 'one');
    await git(where, 'push', '-q', 'origin', 'idea');
    const path = `/repos/${name}/pulls`;
    const input = { title: 'T', head: `${contributor.login}:idea`, base: 'main' };
    const opened = await contributor.post(path, { ...input, maintainer_can_modify: true });
    assert.equal(opened.body.maintainer_can_modify, true, opened.text);

    const mine = await clone(owner, fork);
    await git(mine, 'checkout', '-q', 'idea');
    const helped = await commit(mine, 'b', '2', 'help');
    await git(mine, 'push', '-q', remote(owner, fork), 'idea');
    assert.equal((await owner.get(`${path}/1`)).body.head.sha, helped);
    await assert.rejects(
      git(mine, 'push', remote(owner, fork), 'idea:other'),
      /remote: You can push only to branches of pull requests that allow edits from maintainers: idea\./,
    );
    await assert.rejects(git(mine, 'push', remote(outsider, fork), 'idea'), /403/);

    await commit(mine, 'd', '4', 'late');
    for (const [archived, response] of [
      [true, /403/],
      [false, /idea -> idea/],
    ] as const) {
      assert.equal((await contributor.patch(`/repos/${fork}`, { archived })).status, 200);
      const pushed = git(mine, 'push', remote(owner, fork), 'idea').catch(String);
      assert.match(await pushed, response);
    }

    await contributor.patch(`${path}/1`, { maintainer_can_modify: false });
    await commit(mine, 'c', '3', 'more');
    await assert.rejects(git(mine, 'push', remote(owner, fork), 'idea'), /403/);
  });

  test('refs that the rules of a branch forbid are refused, others in the same push are not', async () => {
    const name = await forge.repository(owner, { init: true });
    const where = await clone(owner, name);
    const first = (await git(where, 'rev-parse', 'HEAD')).trim();
    const rules = {
      required_status_checks: null,
      enforce_admins: true,
      required_pull_request_reviews: null,
      restrictions: null,
    };
    const protection = `/repos/${name}/branches/main/protection`;
    assert.equal((await owner.put(protection, rules)).status, 200);
    const second = await commit(where, 'a', '1', 'one');
    await git(where, 'push', 'origin', `${second}:refs/heads/main`);
    await assert.rejects(
      git(where, 'push', 'origin', `+${first}:refs/heads/main`, `${first}:refs/heads/other`),
      /GH006: Protected branch update failed for refs\/heads\/main\. Cannot force-push to this branch/,
    );
    await owner.put(protection.replace('main', 'other'), rules);
    await assert.rejects(
      git(where, 'push', 'origin', ':refs/heads/other'),
      /Cannot delete this branch/,
    );
    const required = { strict: false, contexts: ['ci/x'] };
    await owner.put(protection, { ...rules, required_status_checks: required });
    const third = await commit(where, 'a', '2', 'two');
    await assert.rejects(
      git(where, 'push', 'origin', `${third}:refs/heads/main`),
      /Required status check "ci\/x" is expected\./,
    );
    const refs = await git(where, 'ls-remote', 'origin', 'refs/heads/*');
    assert.match(refs, new RegExp(`${second}\trefs/heads/main`));
    assert.match(refs, new RegExp(`${first}\trefs/heads/other`));
  });

  test('git is led to where a renamed repository is now, to read and to write', async () => {
    const name = await forge.repository(owner, { name: 'earlier', init: true });
    const where = await clone(owner, name);
    assert.equal((await owner.patch(`/repos/${name}`, { name: 'later' })).status, 200);
    assert.match(await git(folder, 'ls-remote', remote(undefined, name)), /refs\/heads\/main/);
    const tip = await commit(where, 'a', '1', 'one');
    await git(where, 'push', '-q', 'origin', 'HEAD:main');
    assert.equal((await owner.get('/repos/own/later/commits/main')).body.sha, tip);
    assert.match(await git(folder, 'ls-remote', remote(owner, name)), new RegExp(tip));

    await owner.patch('/repos/own/later', { private: true });
    await assert.rejects(git(folder, 'ls-remote', remote(outsider, name)), /not found/);
  });

  test('the patch of a pull is one that git am takes', async () => {
    const name = await forge.repository(owner, { init: true });
    const where = await clone(owner, name);
    await git(where, 'checkout', '-qb', 'topic');
    await commit(where, 'a', 'one\n', 'Add a\n\nWith a reason.');
    await commit(where, 'grüße', 'no line break at the end', 'Grüße');
    await git(where, 'push', '-q', 'origin', 'topic');
    const input = { title: 'T', head: 'topic', base: 'main' };
    assert.equal((await owner.post(`/repos/${name}/pulls`, input)).status, 201);
    const accept = 'application/vnd.github.v3.patch';
    const { bytes } = await owner.get(`/repos/${name}/pulls/1`, { accept });

    const other = await clone(owner, name);
    await writeFile(join(folder, 'series.patch'), bytes);
    await git(other, 'am', '-q', join(folder, 'series.patch'));
    const representation = (at: string): Promise<string> =>
      git(at, 'log', '--format=%T %an <%ae> %at %B', '-2');
    assert.equal(await representation(other), await representation(where));
  });

  test('takes a branch whose name begins like a ref as itself', async () => {
    const name = await forge.repository(owner, { init: true });
    const where = await clone(owner, name);
    const sha = await commit(where, 'new.txt', 'new\n', 'On a branch with a misleading name');
    await git(where, 'push', '-q', 'origin', 'HEAD:refs/heads/refs/heads/main');
    const branch = `/repos/${name}/branches`;
    assert.equal((await owner.get(`${branch}/refs/heads/main`)).body.commit.sha, sha);
    assert.equal((await owner.get(`${branch}/refs/heads/main`)).body.name, 'refs/heads/main');
    assert.notEqual((await owner.get(`${branch}/main`)).body.commit.sha, sha);
    const refs = await git(where, 'ls-remote', 'origin', 'refs/heads/refs/heads/main');
    assert.equal(refs, `${sha}\trefs/heads/refs/heads/main\n`);
  });
});
