import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('commits', () => {
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;
  let name: string;
  let commits: string;
  /** By their messages. */
  const shas: Record<string, string> = {};

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    outsider = await forge.user('stranger');
    name = await forge.repository(owner);
    commits = `/repos/${name}/commits`;
    const own = { name: 'The own', email: 'OWN@example.test' };
    shas['one'] = await commit('one', { 'a.txt': 'a\n', 'src/b.txt': 'b\n' }, own);
    forge.clock.advance(3_600_000);
    shas['two'] = await commit('two', { 'src/b.txt': 'b\nb\n' });
    forge.clock.advance(3_600_000);
    shas['three'] = await commit('three', { 'a.txt': 'c\n', ':(glob)*': 'x\n' }, own);
  });
  after(() => forge.close());

  function commit(
    message: string,
    files: Record<string, string>,
    author?: { name: string; email: string },
  ): Promise<string> {
    return commitFiles(forge, name, 'main', files, author ? { message, author } : { message });
  }

  async function messages(query: string): Promise<string[]> {
    const response = await owner.get(`${commits}${query}`);
    assert.equal(response.status, 200, response.text);
    return response.body.map((each: { commit: { message: string } }) => each.commit.message);
  }

  test('commits of a private repository are hidden from users without access', async () => {
    const hidden = await forge.repository(owner, { private: true, init: true });
    for (const tail of ['', '/main', '/main/check-runs', '/main/check-suites']) {
      assert.equal((await outsider.get(`/repos/${hidden}/commits${tail}`)).status, 404, tail);
      assert.equal((await owner.get(`/repos/${hidden}/commits${tail}`)).status, 200, tail);
    }
  });

  test('an empty repository has no commits to list', async () => {
    const empty = await forge.repository(owner);
    for (const tail of ['', '?sha=main', '/main', `/${'1'.repeat(40)}`]) {
      const response = await owner.get(`/repos/${empty}/commits${tail}`);
      assert.equal(response.status, 409, tail);
      assert.equal(response.body.message, 'Git Repository is empty.');
    }
  });

  test('a list that begins at an unknown revision is not found', async () => {
    for (const sha of ['absent', '1'.repeat(40), '--all', 'main..main', '../x', 'main^']) {
      const response = await owner.get(`${commits}?sha=${encodeURIComponent(sha)}`);
      assert.equal(response.status, 404, sha);
    }
  });

  test('commits are listed from the newest, of a branch, a tag or a commit', async () => {
    assert.deepEqual(await messages(''), ['three', 'two', 'one']);
    assert.deepEqual(await messages(`?sha=${shas['two']}`), ['two', 'one']);
    assert.deepEqual(await messages('?sha=refs/heads/main&per_page=1'), ['three']);
  });

  test('a list of commits has pages without a last one', async () => {
    const first = await owner.get(`${commits}?per_page=2`);
    assert.match(first.headers['link'] ?? '', /page=2>; rel="next"/);
    assert.doesNotMatch(first.headers['link'] ?? '', /rel="last"/);
    assert.deepEqual(await messages('?per_page=2&page=2'), ['one']);
    assert.deepEqual(await messages('?per_page=2&page=9'), []);
    const last = await owner.get(`${commits}?per_page=2&page=2`);
    assert.match(last.headers['link'] ?? '', /rel="prev".*rel="first"/);
  });

  test('commits are filtered by path, as it is written', async () => {
    assert.deepEqual(await messages('?path=src'), ['two', 'one']);
    assert.deepEqual(await messages('?path=/src/'), ['two', 'one']);
    assert.deepEqual(await messages('?path=src/b.txt&per_page=1'), ['two']);
    assert.deepEqual(await messages('?path=:(glob)*'), ['three']);
    for (const path of ['absent', '../x', 'src/..', '.git/config', '%00']) {
      assert.deepEqual(await messages(`?path=${path}`), [], path);
    }
  });

  test('commits are filtered by the login or address of their author', async () => {
    assert.deepEqual(await messages('?author=OWN@example.test'), ['three', 'one']);
    assert.deepEqual(await messages('?author=author@example.test'), ['two']);
    // A part of an address is another address.
    assert.deepEqual(await messages('?author=hor@example.test'), []);
    assert.deepEqual(await messages('?author=nobody-of-that-name'), []);
    assert.deepEqual(await messages('?author=.*'), []);
  });

  test('a login finds the commits that carry its address, in whatever case', async () => {
    await commitFiles(
      forge,
      name,
      'mine',
      { m: '1\n' },
      {
        message: 'mine',
        author: { name: 'The own', email: 'own@example.test' },
      },
    );
    assert.deepEqual(await messages('?sha=mine&author=OWN'), ['mine']);
  });

  test('commits are filtered by when they were made', async () => {
    const second = '2026-01-05T10:30:00Z';
    assert.deepEqual(await messages(`?since=${second}`), ['three', 'two']);
    assert.deepEqual(await messages(`?until=${second}`), ['two', 'one']);
    assert.deepEqual(await messages(`?since=${second}&until=${second}`), ['two']);
    assert.deepEqual(await messages('?since=2026-01-05T12:30:00+02:00'), ['three', 'two']);
  });

  test('a time that is none is refused, since without it others would be listed', async () => {
    for (const field of ['since', 'until']) {
      const response = await owner.get(`${commits}?${field}=yesterday`);
      assert.equal(response.status, 422);
      assert.deepEqual(response.body.errors, [
        { value: 'yesterday', resource: 'Commit', field, code: 'invalid' },
      ]);
    }
  });

  test('an unknown commit is named in the refusal', async () => {
    for (const ref of ['absent', '1'.repeat(40), '-x', 'a..b', '%F0%9F%8E%89', '%00', 'main%5E']) {
      for (const tail of ['', '/check-runs', '/check-suites']) {
        const response = await owner.get(`${commits}/${ref}${tail}`);
        assert.equal(response.status, 422, ref);
        assert.equal(response.body.message, `No commit found for SHA: ${decodeURIComponent(ref)}`);
      }
    }
  });

  test('a commit has its users, its numbers and its files', async () => {
    const response = await owner.get(`${commits}/${shas['three']}`);
    assert.equal(response.status, 200, response.text);
    const { body } = response;
    assert.equal(body.author.login, 'own');
    assert.equal(body.parents[0].sha, shas['two']);
    assert.deepEqual(body.stats, { total: 3, additions: 2, deletions: 1 });
    assert.deepEqual(
      body.files.map((file: { filename: string; status: string }) => [file.status, file.filename]),
      [
        ['added', ':(glob)*'],
        ['modified', 'a.txt'],
      ],
    );
    assert.equal(body.files[1].patch, '@@ -1 +1 @@\n-a\n+c');
    const created = new Date(forge.clock.now()).toUTCString();
    assert.equal(response.headers['last-modified'], created);
  });

  test('the first commit is compared to nothing', async () => {
    const { body } = await owner.get(`${commits}/${shas['one']}`);
    assert.deepEqual(body.parents, []);
    assert.deepEqual(body.stats, { total: 2, additions: 2, deletions: 0 });
    const diff = await owner.get(`${commits}/${shas['one']}`, {
      accept: 'application/vnd.github.v3.diff',
    });
    assert.match(diff.text, /^diff --git a\/a.txt b\/a.txt\nnew file mode 100644/);
    const patch = await owner.get(`${commits}/${shas['one']}`, {
      accept: 'application/vnd.github.v3.patch',
    });
    assert.match(patch.text, new RegExp(`^From ${shas['one']} `));
  });

  test('HEAD is the commit of the default branch', async () => {
    assert.equal((await owner.get(`${commits}/HEAD`)).body.sha, shas['three']);
    assert.deepEqual(await messages('?sha=HEAD&per_page=1'), ['three']);
    assert.equal((await owner.get(`${commits}/HEAD/status`)).body.sha, shas['three']);
    for (const path of [
      'contents/a.txt?ref=HEAD',
      'git/trees/HEAD?recursive=1',
      'compare/HEAD...main',
      'tarball/HEAD',
    ]) {
      assert.equal((await owner.get(`/repos/${name}/${path}`)).status, 200, path);
    }
    const empty = await forge.repository(owner);
    assert.equal((await owner.get(`/repos/${empty}/commits/HEAD`)).status, 409);
  });

  test('a commit is found by a branch with slashes, encoded or not', async () => {
    const sha = await commitFiles(forge, name, 'feature/x/y', { f: '1\n' });
    for (const ref of ['feature/x/y', 'feature%2Fx%2Fy', 'heads/feature/x/y', sha.slice(0, 9)]) {
      const response = await owner.get(`${commits}/${ref}`);
      assert.equal(response.body.sha, sha, ref);
      assert.equal(response.headers['last-modified'], undefined);
    }
    assert.equal((await owner.get(`${commits}/feature/x/y/check-runs`)).body.total_count, 0);
  });

  test('a client that has the SHA of a branch learns that it has not moved', async () => {
    const accept = 'application/vnd.github.v3.sha';
    const response = await owner.get(`${commits}/main`, { accept });
    assert.equal(response.text, shas['three']);
    assert.equal(response.headers['etag'], `"${shas['three']}"`);
    assert.equal(response.headers['content-type'], `${accept}; charset=utf-8`);
    const same = await owner.get(`${commits}/main`, {
      accept,
      'if-none-match': `"${shas['three']}"`,
    });
    assert.equal(same.status, 304);
    const other = await owner.get(`${commits}/main`, {
      accept,
      'if-none-match': `"${shas['one']}"`,
    });
    assert.equal(other.status, 200);
  });

  test('the diff of a commit is git’s', async () => {
    const diff = await owner.get(`${commits}/${shas['two']}`, {
      accept: 'application/vnd.github.diff',
    });
    assert.equal(diff.headers['content-type'], 'application/vnd.github.diff; charset=utf-8');
    assert.match(
      diff.text,
      /^diff --git a\/src\/b.txt b\/src\/b.txt\nindex .*\n@@ -1 \+1,2 @@\n b\n\+b\n$/s,
    );
  });

  test('a commit of many files has them on pages of 300', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 301 }, (_, index) => [
        `many/${String(index).padStart(3, '0')}`,
        `${index}\n`,
      ]),
    );
    const sha = await commitFiles(forge, name, 'many', files);
    const first = await owner.get(`${commits}/${sha}`);
    assert.equal(first.body.files.length, 300);
    assert.equal(first.body.stats.total, 301);
    assert.match(first.headers['link'] ?? '', /page=2>; rel="next"/);
    const second = await owner.get(`${commits}/${sha}?page=2`);
    assert.deepEqual(
      second.body.files.map((file: { filename: string }) => file.filename),
      ['many/300'],
    );
    assert.equal(second.body.sha, sha);
    const small = await owner.get(`${commits}/${sha}?per_page=5&page=61`);
    assert.equal(small.body.files.length, 1);
  });

  test('nothing checks commits, and the lists say so', async () => {
    const runs = await owner.get(`${commits}/main/check-runs`);
    assert.deepEqual(runs.body, { total_count: 0, check_runs: [] });
    const suites = await owner.get(`${commits}/main/check-suites`);
    assert.deepEqual(suites.body, { total_count: 0, check_suites: [] });
  });

  const groot = { accept: 'application/vnd.github.groot-preview+json' };

  test('the pulls and branches of a commit are listed with and without the groot preview', async () => {
    for (const tail of ['pulls', 'branches-where-head']) {
      for (const headers of [{}, groot]) {
        assert.equal((await owner.get(`${commits}/main/${tail}`, headers)).status, 200, tail);
        assert.equal((await owner.get(`${commits}/absent/${tail}`, headers)).status, 422, tail);
      }
    }
  });

  test('the branches whose tip a commit is are found', async () => {
    const sha = await commitFiles(forge, name, 'tip-a', { t: '1\n' });
    const body = { ref: 'refs/heads/tip/b', sha };
    await owner.post(`/repos/${name}/git/refs`, body);
    const response = await owner.get(`${commits}/${sha}/branches-where-head`, groot);
    assert.deepEqual(
      response.body.map((branch: { name: string }) => branch.name),
      ['tip-a', 'tip/b'],
    );
    assert.deepEqual(
      (await owner.get(`${commits}/${shas['one']}/branches-where-head`, groot)).body,
      [],
    );
  });

  test('the pulls that bring a commit are found, before and after they are merged', async () => {
    const mergeable = await commitFiles(
      forge,
      name,
      'bringing',
      { p: '1\n' },
      {
        parents: [shas['three'] ?? ''],
      },
    );
    await commitFiles(forge, name, 'bringing', { p: '2\n' });
    const pull = await owner.post(`/repos/${name}/pulls`, {
      title: 'Bring',
      head: 'bringing',
      base: 'main',
    });
    const numbers = async (sha: string) =>
      (await owner.get(`${commits}/${sha}/pulls`, groot)).body.map(
        (each: { number: number }) => each.number,
      );
    assert.deepEqual(await numbers(mergeable), [pull.body.number]);
    assert.deepEqual(await numbers(shas['three'] ?? ''), []);
    const merged = await owner.put(`/repos/${name}/pulls/${pull.body.number}/merge`);
    assert.equal(merged.status, 200, merged.text);
    assert.deepEqual(await numbers(mergeable), [pull.body.number]);
    assert.deepEqual(await numbers(merged.body.sha), [pull.body.number]);
    assert.deepEqual(await numbers(shas['one'] ?? ''), []);
  });
});
