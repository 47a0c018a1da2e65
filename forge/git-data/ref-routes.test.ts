import assert from 'node:assert/strict';
import { after, before, describe, mock, test } from 'node:test';

import type { GitRepository } from '../git/git.ts';
import { noObject, parseObjectId, parseRefName } from '../git/names.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('refs', () => {
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;
  let name: string;
  let refs: string;
  let first: string;
  let second: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    outsider = await forge.user('stranger');
    name = await forge.repository(owner);
    refs = `/repos/${name}/git/refs`;
    first = await commitFiles(forge, name, 'main', { a: '1\n' });
    second = await commitFiles(forge, name, 'main', { a: '2\n' });
  });
  after(() => forge.close());

  test('only users who may push can write refs of a public repository', async () => {
    for (const client of [forge.anonymous, outsider, await forge.withScopes(owner, ['user'])]) {
      const body = { ref: 'refs/heads/theirs', sha: first };
      assert.equal((await client.post(refs, body)).status, 404);
      assert.equal((await client.patch(`${refs}/heads/main`, { sha: first })).status, 404);
      assert.equal((await client.delete(`${refs}/heads/main`)).status, 404);
    }
    const listed = await owner.get(`/repos/${name}/git/matching-refs/heads/theirs`);
    assert.deepEqual(listed.body, []);
  });

  test('refs of a private repository are hidden from users without access', async () => {
    const hidden = await forge.repository(owner, { private: true, init: true });
    for (const tail of ['ref/heads/main', 'refs', 'refs/heads/main', 'matching-refs/heads']) {
      assert.equal((await outsider.get(`/repos/${hidden}/git/${tail}`)).status, 404, tail);
      assert.equal((await owner.get(`/repos/${hidden}/git/${tail}`)).status, 200, tail);
    }
  });

  const refusedCreations: readonly [ref: string, message: RegExp][] = [
    ['heads/x', /must start with 'refs' and contain at least two slashes/],
    ['refs/x', /must start with 'refs'/],
    ['main', /must start with 'refs'/],
    ['', /must start with 'refs'/],
    ['refs/pull/1/head', /written by the server/],
    ['refs/replace/x/y', /replacing objects is not supported/],
    ['refs/internal/x', /belongs to the server/],
    ['refs/HEADS/x', /use lower case/],
    ['refs/notes/a..b', /is not a valid ref name/],
    ['refs/heads/', /must start with 'refs'/],
    ['refs/heads/-x', /is not a valid ref name/],
    ['refs/heads/a..b', /is not a valid ref name/],
    ['refs/heads/a b', /is not a valid ref name/],
    ['refs/heads/a.lock', /is not a valid ref name/],
    ['refs/heads/.a', /is not a valid ref name/],
    ['refs/heads/a//b', /is not a valid ref name/],
    ['refs/heads/a/', /is not a valid ref name/],
    ['refs/heads/a\nb', /is not a valid ref name/],
    ['refs/heads/HEAD', /is not a valid ref name/],
    ['refs/heads/a@{1}', /is not a valid ref name/],
    [`refs/heads/${'0'.repeat(40)}`, /is not a valid ref name/],
    [`refs/heads/${'x'.repeat(300)}`, /is not a valid ref name/],
    ['refs/tags/-x', /is not a valid ref name/],
    ['refs/heads/main', /^Reference already exists$/],
    ['refs/heads/main/x', /cannot be created: its name conflicts/],
  ];

  test('a ref is made under no name that a push could not write', async () => {
    for (const [ref, message] of refusedCreations) {
      const response = await owner.post(refs, { ref, sha: first });
      assert.equal(response.status, 422, `${ref}: ${response.text}`);
      assert.match(response.body.message, message, ref);
    }
  });

  test('refs other than branches and tags are created, listed, moved and deleted like these', async () => {
    const path = `/repos/${name}/git/refs/notes/review`;
    const created = await owner.post(refs, { ref: 'refs/notes/review', sha: first });
    assert.equal(created.status, 201, created.text);
    assert.equal(created.body.ref, 'refs/notes/review');
    assert.deepEqual((await owner.get(`/repos/${name}/git/ref/notes/review`)).body, created.body);
    const listed = await owner.get(`/repos/${name}/git/matching-refs/notes`);
    assert.equal(listed.body.length, 1);
    assert.equal((await outsider.delete(path)).status, 404);
    const again = await owner.post(refs, { ref: 'refs/notes/review', sha: first });
    assert.equal(again.status, 422);
    const moved = await owner.patch(path, { sha: first, force: true });
    assert.equal(moved.status, 200, moved.text);
    assert.equal((await owner.delete(path)).status, 204);
    assert.equal((await owner.get(`/repos/${name}/git/ref/notes/review`)).status, 404);
  });

  test('refs that only the server knows of are not there', async () => {
    const git = forge.git.repository(await repositoryId(forge, name));
    const id = parseObjectId(first);
    const pin = parseRefName('refs/internal/pin/x');
    assert.ok(id && pin);
    await git.updateRefs([{ ref: pin, old: noObject, new: id }]);
    for (const tail of ['ref/internal/pin/x', 'refs/internal/pin/x', 'refs/internal']) {
      assert.equal((await owner.get(`/repos/${name}/git/${tail}`)).status, 404, tail);
    }
  });

  test('a ref is made of nothing but an object that is there, a branch of a commit only', async () => {
    const create = (sha: string, ref = 'refs/heads/new') => owner.post(refs, { ref, sha });
    assert.match((await create('abc')).body.message, /must be exactly 40 characters/);
    const unknown = await create('1'.repeat(40));
    assert.equal(unknown.status, 422);
    assert.equal(unknown.body.message, 'Object does not exist');
    const { tree } = (await owner.get(`/repos/${name}/git/commits/${first}`)).body;
    const ofTree = await create(tree.sha);
    assert.equal(ofTree.status, 422);
    assert.match(ofTree.body.message, /A branch must point to a commit, but object .* is a tree/);
    assert.equal((await create(tree.sha, 'refs/tags/of-a-tree')).status, 201);
    assert.equal((await owner.delete(`${refs}/tags/of-a-tree`)).status, 204);
    const missing = await owner.post(refs, { ref: 'refs/heads/new' });
    assert.deepEqual(missing.body.errors, [
      {
        resource: 'Reference',
        field: 'sha',
        code: 'missing_field',
        message: `"sha" wasn't supplied.`,
      },
    ]);
  });

  test('a branch is made, found, moved and removed', async () => {
    const created = await owner.post(refs, { ref: 'refs/heads/feature/ü#1', sha: first });
    assert.equal(created.status, 201, created.text);
    const url = `http://forge.test/api/v3/repos/${name}/git/refs/heads/feature/%C3%BC%231`;
    assert.equal(created.headers['location'], url);
    assert.equal(created.body.url, url);
    assert.equal(created.body.ref, 'refs/heads/feature/ü#1');
    assert.deepEqual(created.body.object, {
      sha: first,
      type: 'commit',
      url: `http://forge.test/api/v3/repos/${name}/git/commits/${first}`,
    });
    const path = new URL(url).pathname;
    assert.deepEqual((await owner.get(path)).body, created.body);
    assert.deepEqual((await owner.get(path.replace('/refs/', '/ref/'))).body, created.body);
    const moved = await owner.patch(path, { sha: second });
    assert.equal(moved.status, 200, moved.text);
    assert.equal(moved.body.object.sha, second);
    assert.equal((await owner.get(path)).body.object.sha, second);
    assert.equal((await owner.delete(path)).status, 204);
    assert.equal((await owner.get(path.replace('/refs/', '/ref/'))).status, 404);
    const again = await owner.delete(path);
    assert.equal(again.status, 422);
    assert.equal(again.body.message, 'Reference does not exist');
  });

  test('a branch is not moved back without force, and with force it is', async () => {
    await owner.post(refs, { ref: 'refs/heads/back', sha: second });
    const refused = await owner.patch(`${refs}/heads/back`, { sha: first });
    assert.equal(refused.status, 422);
    assert.equal(refused.body.message, 'Update is not a fast forward');
    assert.equal((await owner.get(`/repos/${name}/git/ref/heads/back`)).body.object.sha, second);
    const forced = await owner.patch(`${refs}/heads/back`, { sha: first, force: true });
    assert.equal(forced.status, 200);
    assert.equal((await owner.get(`/repos/${name}/git/ref/heads/back`)).body.object.sha, first);
    const standIn = await owner.post(`${refs}/heads/back`, { sha: second });
    assert.equal(standIn.body.object.sha, second);
  });

  test('only a ref that is there and may be written is moved or removed', async () => {
    const { number } = await openPull('for-its-refs');
    for (const tail of [
      'heads/absent',
      'heads/a..b',
      'heads/-x',
      `pull/${number}/head`,
      'heads',
      'heads/',
      'HEAD',
    ]) {
      for (const response of [
        await owner.patch(`${refs}/${tail}`, { sha: second, force: true }),
        await owner.delete(`${refs}/${tail}`),
      ]) {
        if (response.status === 404) continue;
        assert.equal(response.status, 422, tail);
        assert.equal(response.body.message, 'Reference does not exist', tail);
      }
    }
    const head = await owner.get(`/repos/${name}/git/ref/pull/${number}/head`);
    assert.equal(head.status, 200);
  });

  test('the default branch is not removed', async () => {
    const response = await owner.delete(`${refs}/heads/main`);
    assert.equal(response.status, 422);
    assert.match(response.body.message, /Cannot delete the default branch/);
    assert.equal((await owner.get(`${refs}/heads/main`)).status, 200);
  });

  test('refs are found by the beginning of their names', async () => {
    for (const branch of ['topic-a', 'topic-b', 'topic/c']) {
      await owner.post(refs, { ref: `refs/heads/${branch}`, sha: first });
    }
    const matching = await owner.get(`/repos/${name}/git/matching-refs/heads/topic`);
    assert.deepEqual(
      matching.body.map((ref: { ref: string }) => ref.ref),
      ['refs/heads/topic-a', 'refs/heads/topic-b', 'refs/heads/topic/c'],
    );
    const page = await owner.get(`/repos/${name}/git/matching-refs/heads/topic?per_page=2&page=2`);
    assert.equal(page.body.length, 1);
    assert.match(page.headers['link'] ?? '', /rel="prev"/);
    const older = await owner.get(`${refs}/heads/topic`);
    assert.deepEqual(older.body, matching.body);
    assert.equal((await owner.get(`${refs}/heads/nothing`)).status, 404);
    assert.deepEqual((await owner.get(`/repos/${name}/git/matching-refs/heads/nothing`)).body, []);
    assert.equal((await owner.get(`/repos/${name}/git/ref/heads/topic`)).status, 404);
  });

  test('all refs are listed, those of pulls among them', async () => {
    const { number } = await openPull('listed');
    for (const list of [refs, `/repos/${name}/git/matching-refs/`]) {
      const response = await owner.get(`${list}?per_page=100`);
      const names = response.body.map((ref: { ref: string }) => ref.ref);
      assert.ok(names.includes('refs/heads/main'));
      assert.ok(names.includes(`refs/pull/${number}/head`));
    }
  });

  test('an open pull follows a head that is moved by its ref', async () => {
    const { number, branch } = await openPull('moving');
    const next = await commitFiles(
      forge,
      name,
      'elsewhere',
      { moving: '2\n' },
      { parents: [second] },
    );
    const moved = await owner.patch(`${refs}/heads/${branch}`, { sha: next, force: true });
    assert.equal(moved.status, 200, moved.text);
    const pull = await owner.get(`/repos/${name}/pulls/${number}`);
    assert.equal(pull.body.head.sha, next);
    assert.equal((await owner.delete(`${refs}/heads/${branch}`)).status, 204);
    assert.equal((await owner.get(`/repos/${name}/pulls/${number}`)).body.state, 'closed');
  });

  test('an archived repository keeps its refs', async () => {
    const archived = await forge.repository(owner, { init: true });
    const sha = (await owner.get(`/repos/${archived}/git/ref/heads/main`)).body.object.sha;
    await owner.patch(`/repos/${archived}`, { archived: true });
    const response = await owner.post(`/repos/${archived}/git/refs`, { ref: 'refs/heads/x', sha });
    assert.equal(response.status, 403);
    assert.equal(response.body.message, 'Repository was archived so is read-only.');
  });

  test('of two concurrent requests for the same branch, one creates it and the other gets an error', async () => {
    const responses = await Promise.all(
      [first, second].map((sha) => owner.post(refs, { ref: 'refs/heads/raced', sha })),
    );
    assert.deepEqual(
      responses.map((response) => response.status).toSorted((one, other) => one - other),
      [201, 422],
    );
    const winner = responses.find((response) => response.status === 201);
    const now = await owner.get(`/repos/${name}/git/ref/heads/raced`);
    assert.equal(now.body.object.sha, winner?.body.object.sha);
  });

  test('a branch that has become the default one since it was read is not deleted', async () => {
    const at = `/repos/${await forge.repository(owner, { init: true })}`;
    const { sha } = (await owner.get(`${at}/git/ref/heads/main`)).body.object;
    await owner.post(`${at}/git/refs`, { ref: 'refs/heads/next', sha });
    await forge.ports.background.idle();
    const { git } = forge.ports;
    const open = git.repository.bind(git);
    const mocked = mock.method(git, 'repository', (of: number) => ({
      ...open(of),
      async readRef(...call: Parameters<GitRepository['readRef']>) {
        mocked.mock.restore();
        await owner.patch(at, { default_branch: 'next' });
        return open(of).readRef(...call);
      },
    }));
    const refused = await owner.delete(`${at}/git/refs/heads/next`);
    assert.equal(refused.status, 422, refused.text);
    assert.match(refused.body.message, /^Cannot delete the default branch/);
    assert.equal((await owner.get(`${at}/branches/next`)).status, 200);
  });

  test('the first branch of an empty repository can be made over the interface', async () => {
    const empty = await forge.repository(owner);
    const blob = await owner.post(`/repos/${empty}/git/blobs`, { content: 'hello\n' });
    const tree = await owner.post(`/repos/${empty}/git/trees`, {
      tree: [{ path: 'hello.txt', mode: '100644', type: 'blob', sha: blob.body.sha }],
    });
    const commit = await owner.post(`/repos/${empty}/git/commits`, {
      message: 'First',
      tree: tree.body.sha,
    });
    const created = await owner.post(`/repos/${empty}/git/refs`, {
      ref: 'refs/heads/trunk',
      sha: commit.body.sha,
    });
    assert.equal(created.status, 201, created.text);
    assert.equal((await owner.get(`/repos/${empty}`)).body.default_branch, 'trunk');
    const file = await owner.get(`/repos/${empty}/contents/hello.txt`);
    assert.equal(Buffer.from(file.body.content, 'base64').toString(), 'hello\n');
  });

  async function openPull(branch: string): Promise<{ number: number; branch: string }> {
    await commitFiles(forge, name, branch, { [branch]: '1\n' }, { parents: [second] });
    const response = await owner.post(`/repos/${name}/pulls`, {
      title: branch,
      head: branch,
      base: 'main',
    });
    assert.equal(response.status, 201, response.text);
    return { number: response.body.number, branch };
  }
});
