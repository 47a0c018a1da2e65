import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { commitFiles, repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { combinedState, combinedStates } from './status-store.ts';

describe('GET /repos/:owner/:repo/commits/:ref/status', () => {
  let forge: TestForge;
  let owner: TestUser;
  before(async () => {
    forge = await startTestForge();
    owner = await forge.user();
  });
  after(() => forge.close());

  const prepare = async () => {
    const fullName = await forge.repository(owner);
    const sha = await commitFiles(forge, fullName, 'main', { a: '1' });
    return {
      fullName,
      sha,
      path: `/repos/${fullName}/commits/main/status`,
      say: async (state: string, context?: string) => {
        const url = `/repos/${fullName}/statuses/${sha}`;
        const response = await owner.post(url, { state, context });
        assert.equal(response.status, 201, response.text);
        return response.body;
      },
    };
  };

  it('responds with 404 for refs that are not there and to those who may not read', async () => {
    const { fullName } = await prepare();
    const unknown = await owner.get(`/repos/${fullName}/commits/nothing/status`);
    assert.equal(unknown.status, 404);
    assert.equal(unknown.body.message, 'Not Found');
    const hidden = await forge.repository(owner, { private: true });
    await commitFiles(forge, hidden, 'main', { a: '1' });
    assert.equal((await forge.anonymous.get(`/repos/${hidden}/commits/main/status`)).status, 404);
  });

  it('is pending with nothing in it where nothing has been said', async () => {
    const { fullName, sha, path } = await prepare();
    assert.equal((await forge.anonymous.get(path)).status, 200);
    const response = await owner.get(path);
    assert.equal(response.status, 200);
    const { repository, ...rest } = response.body;
    const commitUrl = `http://forge.test/api/v3/repos/${fullName}/commits/${sha}`;
    assert.deepEqual(rest, {
      state: 'pending',
      statuses: [],
      sha,
      total_count: 0,
      commit_url: commitUrl,
      url: `${commitUrl}/status`,
    });
    assert.equal(Object.keys(repository).length, 48);
    assert.equal(repository.git_url, `git://forge.test/${repository.full_name}.git`);
    assert.equal(repository.ssh_url, `git@forge.test:${repository.full_name}.git`);
    assert.equal(repository.full_name, fullName);
    assert.equal(response.headers['last-modified'], undefined);
    assert.ok(response.headers['etag']);
    assert.equal(response.headers['x-accepted-oauth-scopes'], 'repo, repo:status');
  });

  it('shows the latest status of each context, the oldest first, without creators', async () => {
    const { path, say } = await prepare();
    await say('pending', 'ci/a');
    const { creator: _b, ...b } = await say('success', 'ci/b');
    const { creator: _a, ...a } = await say('success', 'CI/A');
    const response = await owner.get(path);
    assert.deepEqual(response.body.statuses, [b, a]);
    assert.equal(response.body.total_count, 2);
    assert.equal(response.body.state, 'success');
    assert.deepEqual(Object.keys(a), [
      'url',
      'avatar_url',
      'id',
      'node_id',
      'state',
      'description',
      'target_url',
      'context',
      'created_at',
      'updated_at',
    ]);
  });

  const combinations: readonly [string[], string][] = [
    [['error'], 'failure'],
    [['failure', 'success'], 'failure'],
    [['error', 'pending'], 'failure'],
    [['pending', 'success'], 'pending'],
    [['success', 'success'], 'success'],
  ];
  for (const [states, expected] of combinations) {
    it(`makes ${states.join(' and ')} a ${expected}`, async () => {
      const { fullName, sha, path, say } = await prepare();
      for (const [index, state] of states.entries()) {
        // What was said before in the same context does not count any more.
        await say('failure', `ci/${index}`);
        await say(state, `CI/${index}`);
      }
      assert.equal((await owner.get(path)).body.state, expected);
      const id = await repositoryId(forge, fullName);
      const git = forge.git.repository(id);
      const commit = await git.resolveCommit(sha);
      assert.ok(commit);
      assert.equal(await forge.database.read((sql) => combinedState(sql, id, commit)), expected);
    });
  }

  it('rolls up many commits at once, those without statuses included', async () => {
    const { fullName, say } = await prepare();
    const id = await repositoryId(forge, fullName);
    const git = forge.git.repository(id);
    const first = await git.resolveCommit('main');
    const second = await commitFiles(forge, fullName, 'main', { a: '2' });
    assert.ok(first);
    await say('error');
    const states = await forge.database.read((sql) =>
      combinedStates(sql, id, [first, second, first]),
    );
    assert.deepEqual(
      [...states],
      [
        [first, 'failure'],
        [second, 'none'],
      ],
    );
    assert.equal((await forge.database.read((sql) => combinedStates(sql, id, []))).size, 0);
  });

  it('has the same commit by branch, by tag and by SHA', async () => {
    const { fullName, sha, say } = await prepare();
    await say('success');
    const tag = { ref: 'refs/tags/v1', sha };
    assert.equal((await owner.post(`/repos/${fullName}/git/refs`, tag)).status, 201);
    const bodies = await Promise.all(
      ['main', 'heads/main', sha, 'v1', 'tags/v1'].map(async (ref) => {
        const response = await owner.get(`/repos/${fullName}/commits/${ref}/status`);
        return response.body;
      }),
    );
    assert.equal(bodies[0].sha, sha);
    for (const body of bodies) assert.deepEqual(body, bodies[0]);
  });

  it('pages its contexts, and judges all of them on every page', async () => {
    const { fullName, path, say } = await prepare();
    await say('failure', 'ci/00');
    for (let count = 1; count < 35; count += 1) await say('success', `ci/${count}`);
    const whole = await owner.get(path);
    assert.equal(whole.body.statuses.length, 35);
    assert.equal(whole.headers['link'], undefined);
    const second = await owner.get(`${path}?per_page=10&page=2`);
    assert.deepEqual(second.body.statuses, whole.body.statuses.slice(10, 20));
    assert.equal(second.body.total_count, 35);
    assert.equal(second.body.state, 'failure');
    const canonical = `repositories/${await repositoryId(forge, fullName)}/commits/main/status`;
    assert.match(
      second.headers['link'] ?? '',
      new RegExp(`${canonical}\\?per_page=10&page=3>; rel="next"`),
    );
    const beyond = await owner.get(`${path}?per_page=10&page=9`);
    assert.deepEqual(beyond.body.statuses, []);
    assert.equal(beyond.body.total_count, 35);
  });

  it('embeds 100 contexts by default', async () => {
    const { path, say } = await prepare();
    for (let count = 0; count < 101; count += 1) await say('success', `ci/${count}`);
    const response = await owner.get(path);
    assert.equal(response.body.statuses.length, 100);
    assert.equal(response.body.total_count, 101);
    assert.match(response.headers['link'] ?? '', /page=2>; rel="next"/);
  });

  it('changes as soon as something is said', async () => {
    const { path, say } = await prepare();
    const { headers } = await owner.get(path);
    const condition = { 'if-none-match': headers['etag'] ?? '' };
    assert.equal((await owner.get(path, condition)).status, 304);
    await say('success');
    assert.equal((await owner.get(path, condition)).body.state, 'success');
  });
});
