import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { openPull, untilChecked } from '../testing/pull-fixture.ts';

describe('reading pulls', () => {
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    outsider = await forge.user('stranger');
  });
  after(() => forge.close());

  /** A repository with `count` pulls from as many branches. */
  async function withPulls(count: number): Promise<string> {
    const name = await forge.repository(owner);
    const base = await commitFiles(forge, name, 'main', { a: '1\n' });
    for (let index = 1; index <= count; index += 1) {
      await commitFiles(forge, name, `b${index}`, { [`f${index}`]: 'x\n' }, { parents: [base] });
      forge.clock.advance(1000);
      const response = await owner.post(`/repos/${name}/pulls`, {
        title: `Pull ${index}`,
        head: `b${index}`,
        base: 'main',
      });
      assert.equal(response.status, 201, response.text);
    }
    return name;
  }

  test('pulls of a private repository are hidden from users without access', async () => {
    const { name } = await openPull(forge, owner, { private: true });
    for (const tail of ['', '/1', '/1/files', '/1/commits', '/1/merge']) {
      assert.equal((await outsider.get(`/repos/${name}/pulls${tail}`)).status, 404, tail);
      assert.equal((await forge.anonymous.get(`/repos/${name}/pulls${tail}`)).status, 404, tail);
    }
  });

  test('unknown numbers, odd numbers and unknown methods are not found', async () => {
    const { name } = await openPull(forge, owner);
    for (const number of ['2', '0', '-1', '1x', '9'.repeat(30), '%00']) {
      const response = await owner.get(`/repos/${name}/pulls/${number}`);
      assert.ok([400, 404].includes(response.status), number);
      assert.equal(typeof response.body.message, 'string');
    }
    const masked = await owner.delete(`/repos/${name}/pulls`);
    assert.equal(masked.status, 404);
    assert.equal(masked.body.message, 'Not Found');
    assert.equal(typeof masked.body.documentation_url, 'string');
  });

  test('a list is paged, and its links name the repository by id', async () => {
    const name = await withPulls(5);
    // A test merge that ends meanwhile would differ between two lists.
    await forge.ports.background.idle();
    const first = await owner.get(`/repos/${name}/pulls?per_page=2`);
    assert.deepEqual(
      first.body.map((pull: { number: number }) => pull.number),
      [5, 4],
    );
    const id = first.body[0].base.repo.id;
    const url = `http://forge.test/api/v3/repositories/${id}/pulls`;
    assert.equal(
      first.headers['link'],
      `<${url}?per_page=2&page=2>; rel="next", <${url}?per_page=2&page=3>; rel="last"`,
    );
    const byId = await owner.get(`/repositories/${id}/pulls?per_page=2`);
    assert.deepEqual(byId.body, first.body);
    const middle = await owner.get(`/repositories/${id}/pulls?per_page=2&page=2`);
    assert.equal(
      middle.headers['link'],
      `<${url}?per_page=2&page=1>; rel="prev", <${url}?per_page=2&page=3>; rel="next", ` +
        `<${url}?per_page=2&page=3>; rel="last", <${url}?per_page=2&page=1>; rel="first"`,
    );
    const last = await owner.get(`/repos/${name}/pulls?per_page=2&page=3`);
    assert.equal(
      last.headers['link'],
      `<${url}?per_page=2&page=2>; rel="prev", <${url}?per_page=2&page=1>; rel="first"`,
    );
    const beyond = await owner.get(`/repos/${name}/pulls?per_page=2&page=99`);
    assert.deepEqual(beyond.body, []);
    assert.match(beyond.headers['link'] ?? '', /page=3>; rel="prev"/);
    assert.equal((await owner.get(`/repos/${name}/pulls`)).headers['link'], undefined);
    for (const odd of [
      'page=0',
      'page=-1',
      'page=x',
      'per_page=0',
      'per_page=1e9',
      'page=2?per_page=2',
    ]) {
      assert.equal((await owner.get(`/repos/${name}/pulls?${odd}`)).status, 200, odd);
    }
  });

  test('lists filter by state, base and head', async () => {
    const name = await withPulls(3);
    await owner.patch(`/repos/${name}/pulls/2`, { state: 'closed' });
    const numbers = async (query: string): Promise<number[]> =>
      (await owner.get(`/repos/${name}/pulls?${query}`)).body.map(
        (pull: { number: number }) => pull.number,
      );
    assert.deepEqual(await numbers(''), [3, 1]);
    assert.deepEqual(await numbers('state=closed'), [2]);
    assert.deepEqual(await numbers('state=all'), [3, 2, 1]);
    assert.deepEqual(await numbers('base=main&head=own:b3'), [3]);
    assert.deepEqual(await numbers('head=OWN:b3'), [3]);
    assert.deepEqual(await numbers('base=other'), []);
    assert.deepEqual(await numbers('head=b3'), [3, 1]);
    assert.deepEqual(await numbers('head=nobody:b3'), []);
    const odd = await owner.get(`/repos/${name}/pulls?state=odd`);
    assert.equal(odd.status, 422);
    assert.deepEqual(odd.body.errors, [
      { value: 'odd', resource: 'PullRequest', field: 'state', code: 'invalid' },
    ]);
  });

  test('lists sort by creation, update, comments and age', async () => {
    const name = await withPulls(3);
    forge.clock.advance(5000);
    await owner.patch(`/repos/${name}/pulls/1`, { title: 'Newest' });
    const numbers = async (query: string): Promise<number[]> =>
      (await owner.get(`/repos/${name}/pulls?${query}`)).body.map(
        (pull: { number: number }) => pull.number,
      );
    assert.deepEqual(await numbers('sort=created'), [3, 2, 1]);
    assert.deepEqual(await numbers('sort=created&direction=asc'), [1, 2, 3]);
    assert.deepEqual(await numbers('sort=updated'), [2, 3, 1]);
    assert.deepEqual(await numbers('sort=updated&direction=desc'), [1, 3, 2]);
    assert.deepEqual(await numbers('sort=popularity'), [1, 2, 3]);
    assert.deepEqual(await numbers('sort=long-running'), [1, 2, 3]);
    forge.clock.advance(31 * 24 * 3_600_000);
    await owner.patch(`/repos/${name}/pulls/3`, { title: 'Alive' });
    assert.deepEqual(await numbers('sort=long-running'), [3]);
  });

  test('a list item is the summary, a single pull the detail', async () => {
    const { name, path } = await openPull(forge, owner);
    const [item] = (await owner.get(`/repos/${name}/pulls`)).body;
    const single = (await owner.get(path)).body;
    for (const field of ['merged', 'mergeable', 'commits', 'additions', 'maintainer_can_modify']) {
      assert.equal(field in item, false, field);
      assert.equal(field in single, true, field);
    }
  });

  test('a failing status makes the pull unstable, and still mergeable', async () => {
    const { name, path, head } = await openPull(forge, owner);
    assert.equal((await untilChecked(forge, owner, path)).body.mergeable_state, 'clean');
    for (const [state, expected] of [
      ['pending', 'unstable'],
      ['failure', 'unstable'],
      ['success', 'clean'],
    ] as const) {
      const status = await owner.post(`/repos/${name}/statuses/${head}`, { state, context: 'ci' });
      assert.equal(status.status, 201, status.text);
      const pull = (await owner.get(path)).body;
      assert.equal(pull.mergeable_state, expected, state);
      assert.equal(pull.mergeable, true);
    }
  });

  test('a pull is sent again unchanged as 304, for free, and anew after each change', async () => {
    const { path } = await openPull(forge, owner);
    const first = await untilChecked(forge, owner, path);
    const tag = first.headers['etag'] ?? '';
    const remaining = Number(first.headers['x-ratelimit-remaining']);
    for (const candidate of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      const again = await owner.get(path, { 'if-none-match': candidate });
      assert.equal(again.status, 304, candidate);
      assert.equal(again.text, '');
      assert.equal(again.headers['etag'], tag);
      assert.equal(Number(again.headers['x-ratelimit-remaining']), remaining);
    }
    assert.equal((await owner.get(path, { 'if-none-match': '"other"' })).status, 200);
    const second = await forge.withScopes(owner, ['repo']);
    assert.notEqual((await second.get(path)).headers['etag'], tag);
    await owner.patch(path, { title: 'Changed' });
    assert.equal((await owner.get(path, { 'if-none-match': tag })).status, 200);
  });

  test('If-Modified-Since is answered by the pull’s own time', async () => {
    const { path } = await openPull(forge, owner);
    await untilChecked(forge, owner, path);
    forge.clock.advance(1000);
    await owner.patch(path, { title: 'Changed' });
    const pull = await owner.get(path);
    const since = pull.headers['last-modified'] ?? '';
    assert.equal((await owner.get(path, { 'if-modified-since': since })).status, 304);
    const older = new Date(Date.parse(since) - 1000).toUTCString();
    assert.equal((await owner.get(path, { 'if-modified-since': older })).status, 200);
  });

  test('HEAD has the headers of GET and no body', async () => {
    const { path, name } = await openPull(forge, owner);
    // The review changes what both say of the pull.
    await untilChecked(forge, owner, path);
    for (const url of [path, `/repos/${name}/pulls`, `/repos/${name}`]) {
      const get = await owner.get(url);
      const head = await owner.send('HEAD', url);
      assert.equal(head.status, get.status);
      assert.equal(head.text, '');
      for (const header of ['etag', 'content-type', 'link', 'last-modified', 'content-length']) {
        assert.equal(head.headers[header], get.headers[header], `${url} ${header}`);
      }
    }
  });

  test('body formats: raw, text, html and full', async () => {
    const { path } = await openPull(forge, owner, { body: { body: '**Bold** <b>x</b>' } });
    const as = async (parameter: string) =>
      owner.get(path, { accept: `application/vnd.github.v3.${parameter}+json` });
    const full = await as('full');
    assert.equal(full.headers['x-github-media-type'], 'github.v3; param=full; format=json');
    assert.equal(full.body.body, '**Bold** <b>x</b>');
    assert.equal(full.body.body_html, '<p><strong>Bold</strong> <b>x</b></p>');
    assert.equal(full.body.body_text, 'Bold x');
    const html = (await as('html')).body;
    assert.deepEqual(
      ['body' in html, 'body_html' in html, 'body_text' in html],
      [false, true, false],
    );
    const text = (await as('text')).body;
    assert.deepEqual(
      ['body' in text, 'body_html' in text, 'body_text' in text],
      [false, false, true],
    );
    assert.equal('body' in (await as('raw')).body, true);
    const bare = await openPull(forge, owner);
    const empty = await owner.get(bare.path, { accept: 'application/vnd.github.v3.full+json' });
    assert.deepEqual(
      [empty.body.body, empty.body.body_html, empty.body.body_text],
      [null, null, null],
    );
  });

  test('the diff and the patch are git’s own, with their media types', async () => {
    const { path } = await openPull(forge, owner);
    const diff = await owner.get(path, { accept: 'application/vnd.github.v3.diff' });
    assert.match(diff.text, /^diff --git a\/new\.txt b\/new\.txt\nnew file mode 100644\n/);
    assert.equal(diff.headers['content-type'], 'application/vnd.github.v3.diff; charset=utf-8');
    assert.equal(diff.headers['x-github-media-type'], 'github.v3; param=diff');
    const patch = await owner.get(path, { accept: 'application/vnd.github.v3.patch' });
    assert.match(patch.text, /^From [0-9a-f]{40} Mon Sep 17 00:00:00 2001\n/);
    assert.match(patch.text, /\nSubject: \[PATCH\] Change new\.txt\n/);
  });

  test('files: renames, binary, removed, and sums that agree with the pull', async () => {
    const name = await forge.repository(owner);
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join('');
    const base = await commitFiles(forge, name, 'main', {
      'old name': lines,
      gone: 'x\ny\n',
      edit: lines,
    });
    await commitFiles(
      forge,
      name,
      'topic',
      {
        'old name': null,
        'new/näme': lines,
        gone: null,
        edit: lines.replace('line 3\n', 'LINE 3\n'),
        image: Buffer.from([0, 1, 2, 255]),
      },
      { parents: [base] },
    );
    const pull = (
      await owner.post(`/repos/${name}/pulls`, { title: 'T', head: 'topic', base: 'main' })
    ).body;
    const response = await owner.get(`/repos/${name}/pulls/1/files`);
    const files = new Map<string, Record<string, unknown>>(
      response.body.map((file: { filename: string }) => [file.filename, file]),
    );
    assert.deepEqual([...files.keys()], ['edit', 'gone', 'image', 'new/näme']);
    const renamed = files.get('new/näme');
    assert.equal(renamed?.['status'], 'renamed');
    assert.equal(renamed?.['previous_filename'], 'old name');
    assert.equal('patch' in (renamed ?? {}), false);
    assert.match(String(renamed?.['blob_url']), /\/blob\/[0-9a-f]{40}\/new\/n%C3%A4me$/);
    assert.equal('patch' in (files.get('image') ?? {}), false);
    assert.equal(files.get('gone')?.['status'], 'removed');
    assert.match(String(files.get('edit')?.['patch']), /^@@ -1,7 \+1,7 @@/);
    const sum = (field: string): number =>
      response.body.reduce(
        (total: number, file: Record<string, number>) => total + (file[field] ?? 0),
        0,
      );
    assert.deepEqual([sum('additions'), sum('deletions')], [pull.additions, pull.deletions]);
    assert.equal(pull.changed_files, 4);
  });

  test('commits come oldest first, with the users behind them', async () => {
    const { name, path } = await openPull(forge, owner);
    await commitFiles(
      forge,
      name,
      'topic',
      { second: 'x\n' },
      {
        message: 'Second',
        author: { name: 'Own', email: 'OWN@example.test' },
      },
    );
    const response = await owner.get(`${path}/commits`);
    assert.equal(response.body.length, 2);
    const [first, second] = response.body;
    assert.equal(second.commit.message, 'Second');
    assert.equal(second.author.login, 'own');
    assert.equal(first.author, null);
    assert.equal(second.parents[0].sha, first.sha);
    assert.ok(second.parents[0].html_url);
    assert.deepEqual(
      { ...second.commit.verification, verified_at: undefined },
      {
        verified: false,
        reason: 'unsigned',
        signature: null,
        payload: null,
        verified_at: undefined,
      },
    );
    const one = await owner.get(`${path}/commits?per_page=1&page=2`);
    assert.equal(one.body[0].sha, second.sha);
    assert.match(one.headers['link'] ?? '', /rel="prev"/);
  });
});
