import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { branchRef, noObject, parseBranchName, parseRefName } from '../git/names.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import {
  startTestForge,
  type TestClient,
  type TestForge,
  type TestUser,
} from '../testing/test-forge.ts';

describe('GET /repos/:owner/:repo/commits/:ref/statuses', () => {
  let forge: TestForge;
  let owner: TestUser;
  before(async () => {
    forge = await startTestForge();
    owner = await forge.user();
  });
  after(() => forge.close());

  it('responds with 404 to those who may not read, and for refs that are not there', async () => {
    const hidden = await forge.repository(owner, { private: true });
    await commitFiles(forge, hidden, 'main', { a: '1' });
    const empty = await forge.repository(owner);
    const outsider = await forge.user();
    for (const path of pathsOf(hidden, 'main')) {
      for (const client of [forge.anonymous, outsider, await forge.withScopes(owner, [])]) {
        assert.equal((await client.get(path)).status, 404);
      }
    }
    for (const ref of ['main', 'nothing', '0'.repeat(40), '0000000', '..%2F..', '%00', '-x']) {
      for (const path of pathsOf(empty, ref)) {
        const response = await owner.get(path);
        assert.equal(response.status, 404, path);
        assert.equal(response.body.message, 'Not Found');
        assert.equal(
          response.body.documentation_url,
          'http://forge.test/docs/rest/reference/repos#list-commit-statuses-for-a-reference',
        );
      }
    }
  });

  it('lists every status with its creator, newest first, to callers with read permission', async () => {
    const fullName = await forge.repository(owner);
    const sha = await commitFiles(forge, fullName, 'main', { a: '1' });
    const first = await say(owner, fullName, sha, 'ci');
    const second = await say(owner, fullName, sha, 'ci');
    for (const path of pathsOf(fullName, 'main')) {
      assert.deepEqual((await forge.anonymous.get(path)).body, [second, first]);
      const response = await owner.get(path);
      assert.equal(response.status, 200);
      assert.deepEqual(response.body, [second, first]);
      assert.equal(response.headers['link'], undefined);
      assert.equal(response.headers['x-accepted-oauth-scopes'], 'repo, repo:status');
    }
  });

  it('takes branches, tags and commits, with slashes in their names', async () => {
    const fullName = await forge.repository(owner);
    const sha = await commitFiles(forge, fullName, 'feature/x', { a: '1' });
    const git = forge.git.repository(await repositoryId(forge, fullName));
    const light = parseRefName('refs/tags/v1/light');
    const annotated = parseRefName('refs/tags/v1-annotated');
    assert.ok(light && annotated);
    const tagger = { name: 'Author', email: 'author@example.test', seconds: 0, offsetMinutes: 0 };
    const tag = await git.writeTag({
      tag: 'v1-annotated',
      object: sha,
      type: 'commit',
      tagger,
      message: 'one',
    });
    await git.updateRefs([
      { ref: light, old: noObject, new: sha },
      { ref: annotated, old: noObject, new: tag },
    ]);
    const status = await say(owner, fullName, sha, 'ci');
    const refs = [
      sha,
      sha.toUpperCase(),
      sha.slice(0, 10),
      'feature/x',
      'feature%2Fx',
      'heads/feature/x',
      'v1/light',
      'v1-annotated',
      'tags/v1-annotated',
    ];
    for (const ref of refs) {
      for (const path of pathsOf(fullName, ref)) {
        assert.deepEqual((await owner.get(path)).body, [status], path);
      }
    }
  });

  it('takes a branch whose name ends like the path', async () => {
    const fullName = await forge.repository(owner);
    const sha = await commitFiles(forge, fullName, 'fix/statuses', { a: '1' });
    const status = await say(owner, fullName, sha, 'ci');
    for (const path of pathsOf(fullName, 'fix/statuses')) {
      assert.deepEqual((await owner.get(path)).body, [status], path);
    }
  });

  it('follows a branch, and forgets it with the branch', async () => {
    const fullName = await forge.repository(owner);
    const sha = await commitFiles(forge, fullName, 'main', { a: '1' });
    const [path = ''] = pathsOf(fullName, 'topic');
    assert.equal((await owner.get(path)).status, 404);
    await say(owner, fullName, sha, 'ci');
    const moved = await commitFiles(forge, fullName, 'topic', { a: '2' }, { parents: [sha] });
    assert.deepEqual((await owner.get(path)).body, []);
    const status = await say(owner, fullName, moved, 'ci');
    assert.deepEqual((await owner.get(path)).body, [status]);
    const name = parseBranchName('topic');
    assert.ok(name);
    const git = forge.git.repository(await repositoryId(forge, fullName));
    await git.updateRefs([{ ref: branchRef(name), old: moved, new: noObject }]);
    await commitFiles(forge, fullName, 'main', { a: '3' });
    assert.equal((await owner.get(path)).status, 404);
  });

  it('comes in pages', async () => {
    const fullName = await forge.repository(owner);
    const sha = await commitFiles(forge, fullName, 'main', { a: '1' });
    const ids: number[] = [];
    for (let count = 0; count < 5; count += 1) {
      ids.unshift((await say(owner, fullName, sha, `ci/${count % 2}`)).id);
    }
    const id = await repositoryId(forge, fullName);
    const canonical = `http://forge.test/api/v3/repositories/${id}/commits/main/statuses`;
    const [path = ''] = pathsOf(fullName, 'main');
    const middle = await owner.get(`${path}?per_page=2&page=2`);
    assert.deepEqual(
      middle.body.map((status: { id: number }) => status.id),
      ids.slice(2, 4),
    );
    assert.equal(
      middle.headers['link'],
      ['prev', 'next', 'last', 'first']
        .map(
          (relation, index) =>
            `<${canonical}?per_page=2&page=${[1, 3, 3, 1][index]}>; rel="${relation}"`,
        )
        .join(', '),
    );
  });

  it('does not change until something is said', async () => {
    const fullName = await forge.repository(owner);
    const sha = await commitFiles(forge, fullName, 'main', { a: '1' });
    const [path = ''] = pathsOf(fullName, 'main');
    const { headers } = await owner.get(path);
    const condition = { 'if-none-match': headers['etag'] ?? '' };
    assert.equal((await owner.get(path, condition)).status, 304);
    await say(owner, fullName, sha, 'ci');
    assert.equal((await owner.get(path, condition)).status, 200);
  });
});

function pathsOf(fullName: string, ref: string): string[] {
  return [`/repos/${fullName}/commits/${ref}/statuses`, `/repos/${fullName}/statuses/${ref}`];
}

async function say(client: TestClient, fullName: string, sha: string, context: string) {
  const response = await client.post(`/repos/${fullName}/statuses/${sha}`, {
    state: 'success',
    context,
  });
  assert.equal(response.status, 201, response.text);
  return response.body;
}
