import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { Octokit } from 'octokit';

import { generateHistory } from './generated-history.ts';
import { git, remoteUrl } from './git-client.ts';
import { removeFolder, rootFolder, type RunningServer, startServer } from './running-server.ts';

describe('from the first start to merged pulls', () => {
  const run = promisify(execFile);

  /** One clone of a repository and a real client, as one person uses them. */
  interface Person {
    readonly login: string;
    readonly token: string;
    readonly octokit: Octokit;
  }

  let folder: string;
  let server: RunningServer;
  let root: Person;
  let guest: Person;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-scenario-'));
    server = await startServer(join(folder, 'data'));
    root = person(server.login, server.token);
  });
  after(async () => {
    assert.equal(await server.stop(), 0, server.output());
    await removeFolder(folder);
  });

  function person(login: string, token: string): Person {
    const octokit = new Octokit({
      auth: token,
      baseUrl: `${server.url}/api/v3`,
      throttle: { enabled: false },
      retry: { enabled: false },
      log: { debug() {}, info() {}, warn() {}, error() {} },
    });
    return { login, token, octokit };
  }

  async function commit(
    where: string,
    file: string,
    content: string,
    message: string,
  ): Promise<void> {
    await writeFile(join(where, file), content);
    await git(where, 'add', '-A');
    await git(where, 'commit', '-qm', message);
  }

  async function mergeable(
    who: Person,
    target: { owner: string; repo: string; pull_number: number },
  ) {
    for (;;) {
      const { data } = await who.octokit.rest.pulls.get(target);
      if (data.mergeable !== null) return data;
    }
  }

  test('the curl that is printed works', async () => {
    const { stdout } = await run('curl', [
      '-sS',
      '-H',
      `Authorization: token ${root.token}`,
      `${server.url}/api/v3/user`,
    ]);
    const user: { login: string } = JSON.parse(stdout);
    assert.equal(user.login, root.login);
    assert.match(stdout, /\n {2}"login"/, 'JSON for curl is laid out in lines');
  });

  test('a second user is made on the command line while the server runs', async () => {
    await server.admin('create-user', 'guest', '--email', 'guest@example.test');
    const created: { token: string } = JSON.parse(
      await server.admin('create-token', 'guest', '--scopes', 'repo,user', '--json'),
    );
    guest = person('guest', created.token);
    const { data: user } = await guest.octokit.rest.users.getAuthenticated();
    assert.equal(user.login, 'guest');
  });

  test('this project’s own history is pushed and cloned back', async () => {
    await root.octokit.rest.repos.createForAuthenticatedUser({ name: 'own-history' });
    const remote = remoteUrl(server.url, root.login, root.token, `${root.login}/own-history`);
    const source = join(folder, 'own-history.git');
    await git(folder, 'clone', '-q', '--bare', rootFolder, source);
    await git(source, 'push', '-q', remote, 'HEAD:refs/heads/main');
    await git(folder, 'clone', '-q', remote, join(folder, 'own-clone'));
    assert.equal(
      await git(join(folder, 'own-clone'), 'rev-parse', 'HEAD'),
      await git(source, 'rev-parse', 'HEAD'),
    );
  });

  test('20,000 commits and 5,000 files are pushed, and pulls on them are merged by each method', async () => {
    const owner = root.login;
    const repo = 'big';
    await root.octokit.rest.repos.createForAuthenticatedUser({ name: repo });
    const work = join(folder, 'big');
    await git(folder, 'init', '-q', '-b', 'main', work);
    await generateHistory(work, { commits: 20_000, files: 5000 });
    await git(work, 'checkout', '-q', 'main');
    await git(
      work,
      'remote',
      'add',
      'origin',
      remoteUrl(server.url, owner, root.token, `${owner}/${repo}`),
    );
    await git(work, 'push', '-q', 'origin', 'main');

    // The guest is invited, accepts, and works in a branch of the repository itself.
    const invited = await root.octokit.rest.repos.addCollaborator({
      owner,
      repo,
      username: 'guest',
    });
    assert.equal(invited.status, 201);
    const { data: invitations } =
      await guest.octokit.rest.repos.listInvitationsForAuthenticatedUser();
    assert.equal(invitations.length, 1);
    await guest.octokit.rest.repos.acceptInvitationForAuthenticatedUser({
      invitation_id: invitations[0]?.id ?? 0,
    });
    const theirs = join(folder, 'guest-big');
    await git(
      folder,
      'clone',
      '-q',
      '--depth',
      '50',
      remoteUrl(server.url, 'guest', guest.token, `${owner}/${repo}`),
      theirs,
    );

    for (const method of ['merge', 'squash', 'rebase'] as const) {
      await git(theirs, 'checkout', '-q', '-B', `by-${method}`, 'origin/main');
      await commit(theirs, `${method}-1.txt`, 'one\n', `First for ${method}`);
      await commit(theirs, `${method}-2.txt`, 'two\n', `Second for ${method}`);
      await git(theirs, 'push', '-q', 'origin', `by-${method}`);
      const { data: pull } = await guest.octokit.rest.pulls.create({
        owner,
        repo,
        title: `By ${method}`,
        head: `by-${method}`,
        base: 'main',
      });
      assert.equal(pull.mergeable, null);
      const target = { owner, repo, pull_number: pull.number };
      assert.equal((await mergeable(guest, target)).mergeable, true);

      await guest.octokit.rest.repos.createCommitStatus({
        owner,
        repo,
        sha: pull.head.sha,
        state: 'success',
        context: 'ci',
      });
      const { data: combined } = await root.octokit.rest.repos.getCombinedStatusForRef({
        owner,
        repo,
        ref: `by-${method}`,
      });
      assert.equal(combined.state, 'success');
      const files = await root.octokit.paginate(root.octokit.rest.pulls.listFiles, target);
      assert.deepEqual(
        files.map((file) => file.filename),
        [`${method}-1.txt`, `${method}-2.txt`],
      );
      const { data: commits } = await root.octokit.rest.pulls.listCommits(target);
      assert.equal(commits.length, 2);

      const { data: merged } = await root.octokit.rest.pulls.merge({
        ...target,
        merge_method: method,
      });
      assert.equal(merged.merged, true);
      await git(theirs, 'checkout', '-q', 'main');
      await git(theirs, 'pull', '-q', 'origin', 'main');
      assert.equal(await git(theirs, 'rev-parse', 'HEAD'), merged.sha);
      assert.equal(await git(theirs, 'show', `HEAD:${method}-2.txt`), 'two');
    }
  });

  test('a pull from a fork is updated with its base and merged', async () => {
    const owner = root.login;
    await root.octokit.rest.repos.createForAuthenticatedUser({ name: 'small', auto_init: true });
    await guest.octokit.rest.repos.createFork({ owner, repo: 'small' });
    const fork = join(folder, 'fork');
    await git(
      folder,
      'clone',
      '-q',
      remoteUrl(server.url, 'guest', guest.token, 'guest/small'),
      fork,
    );
    await git(fork, 'checkout', '-qb', 'idea');
    await commit(fork, 'idea.txt', 'an idea\n', 'Have an idea');
    await git(fork, 'push', '-q', 'origin', 'idea');
    const { data: pull } = await guest.octokit.rest.pulls.create({
      owner,
      repo: 'small',
      title: 'An idea',
      head: 'guest:idea',
      base: 'main',
      maintainer_can_modify: true,
    });
    const target = { owner, repo: 'small', pull_number: pull.number };
    assert.equal(pull.head.repo?.full_name, 'guest/small');
    assert.equal(pull.maintainer_can_modify, true);

    await root.octokit.rest.repos.createOrUpdateFileContents({
      owner,
      repo: 'small',
      path: 'news.txt',
      message: 'Write the news',
      content: Buffer.from('news\n').toString('base64'),
    });
    const updated = await guest.octokit.rest.pulls.updateBranch({
      ...target,
      expected_head_sha: pull.head.sha,
      headers: { accept: 'application/vnd.github.lydian-preview+json' },
    });
    assert.equal(updated.status, 202);
    const changed = await mergeable(guest, target);
    assert.notEqual(changed.head.sha, pull.head.sha);
    assert.equal(changed.mergeable, true);

    const { data: merged } = await root.octokit.rest.pulls.merge({
      ...target,
      sha: changed.head.sha,
    });
    const copy = join(folder, 'small');
    await git(folder, 'clone', '-q', `${server.url}/${owner}/small.git`, copy);
    assert.equal(await git(copy, 'rev-parse', 'HEAD'), merged.sha);
    assert.equal(await git(copy, 'show', 'HEAD:idea.txt'), 'an idea');
  });

  test('a conflict is refused with 405 and nothing moves', async () => {
    const owner = root.login;
    const work = join(folder, 'conflict');
    await root.octokit.rest.repos.createForAuthenticatedUser({ name: 'conflict' });
    await git(folder, 'init', '-q', '-b', 'main', work);
    await git(
      work,
      'remote',
      'add',
      'origin',
      remoteUrl(server.url, owner, root.token, `${owner}/conflict`),
    );
    await commit(work, 'a.txt', 'one\n', 'Begin');
    await git(work, 'push', '-q', 'origin', 'main');
    await git(work, 'checkout', '-qb', 'theirs');
    await commit(work, 'a.txt', 'two\n', 'Theirs');
    await git(work, 'push', '-q', 'origin', 'theirs');
    await git(work, 'checkout', '-q', 'main');
    await commit(work, 'a.txt', 'three\n', 'Ours');
    await git(work, 'push', '-q', 'origin', 'main');
    const { data: pull } = await root.octokit.rest.pulls.create({
      owner,
      repo: 'conflict',
      title: 'Clash',
      head: 'theirs',
      base: 'main',
    });
    const target = { owner, repo: 'conflict', pull_number: pull.number };
    assert.equal((await mergeable(root, target)).mergeable_state, 'dirty');
    await assert.rejects(root.octokit.rest.pulls.merge(target), { status: 405 });
    assert.equal(
      await git(work, 'ls-remote', 'origin', 'main'),
      `${await git(work, 'rev-parse', 'main')}\trefs/heads/main`,
    );
  });
});
