import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { Release } from '../model/release.ts';
import { getRepository } from '../repositories/get-repository.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import { createTestApp } from '../testing/test-app.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import type { ReleaseInput } from './release-input.ts';
import { findRelease } from './release-store.ts';
import { editRelease } from './write-release.ts';

describe('releases', () => {
  let forge: TestForge;
  let owner: TestUser;
  let stranger: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    stranger = await forge.user('stranger');
  });
  after(() => forge.close());

  const tagNames = async (name: string, who = owner, query = ''): Promise<string[]> =>
    (await who.get(`/repos/${name}/releases${query}`)).body.map(
      (release: { tag_name: string }) => release.tag_name,
    );

  test('are written by those who can push, and those of a private repository are hidden', async () => {
    const name = await forge.repository(owner, { init: true });
    const path = `/repos/${name}/releases`;
    const { body: release } = await owner.post(path, { tag_name: 'v1' });
    assert.equal((await forge.anonymous.post(path, { tag_name: 'v2' })).status, 404);
    assert.equal((await stranger.post(path, { tag_name: 'v2' })).status, 404);
    assert.equal((await stranger.patch(`${path}/${release.id}`, { name: 'x' })).status, 404);
    assert.equal((await stranger.delete(`${path}/${release.id}`)).status, 404);
    assert.equal((await stranger.post(`${path}/generate-notes`, { tag_name: 'v2' })).status, 404);
    assert.equal((await owner.get(`${path}/999999`)).status, 404);
    assert.equal((await owner.get(`${path}/tags/none`)).status, 404);
    await owner.patch(`/repos/${name}`, { private: true });
    for (const tail of ['', '/latest', '/tags/v1', `/${release.id}`]) {
      assert.equal((await stranger.get(`${path}${tail}`)).status, 404, tail);
    }
  });

  test('need a well-formed tag that has no other release, and a target that exists', async () => {
    const name = await forge.repository(owner);
    const post = (body: unknown): ReturnType<TestUser['post']> =>
      owner.post(`/repos/${name}/releases`, body);
    assert.equal((await post({})).body.errors[0].field, 'tag_name');
    assert.equal((await post({ tag_name: '' })).body.errors[0].code, 'missing_field');
    for (const tag of ['a..b', '-a', 'a b', 'x'.repeat(300), '0'.repeat(40), 'a/']) {
      const { status, body } = await post({ tag_name: tag });
      assert.equal(status, 422, tag);
      assert.match(body.errors[0].message, /^tag_name is not well-formed/);
    }
    const empty = await post({ tag_name: 'v1' });
    assert.deepEqual([empty.status, empty.body.message], [422, 'Repository is empty.']);
    await commitFiles(forge, name, 'main', { a: 'a' });
    const astray = await post({ tag_name: 'v1', target_commitish: 'nowhere' });
    assert.deepEqual(astray.body.errors, [
      { resource: 'Release', code: 'invalid', field: 'target_commitish' },
    ]);
    assert.deepEqual(await tagNames(name), []);
    assert.deepEqual((await owner.get(`/repos/${name}/tags`)).body, []);
    assert.match(
      (await post({ tag_name: 'v1', body: 'x'.repeat(125_001) })).body.errors[0].message,
      /too long/,
    );
    assert.equal((await post({ tag_name: 'v1' })).status, 201);
    assert.deepEqual((await post({ tag_name: 'v1' })).body.errors, [
      { resource: 'Release', code: 'already_exists', field: 'tag_name' },
    ]);
    const conflict = await post({ tag_name: 'v1/beta' });
    assert.match(conflict.body.errors[0].message, /conflicts with the name of an existing tag/);
  });

  test('create their tag in git, of the branch or commit that is named', async () => {
    const name = await forge.repository(owner);
    const first = await commitFiles(forge, name, 'main', { a: 'a' });
    const second = await commitFiles(forge, name, 'main', { a: 'b' });
    const of = async (body: unknown): Promise<unknown[]> => {
      const made = await owner.post(`/repos/${name}/releases`, body);
      assert.equal(made.status, 201, made.text);
      assert.equal(made.headers['location'], made.body.url);
      const ref = await owner.get(`/repos/${name}/git/ref/tags/${made.body.tag_name}`);
      return [made.body.target_commitish, ref.body.object.sha];
    };
    assert.deepEqual(await of({ tag_name: 'v2' }), ['main', second]);
    assert.deepEqual(await of({ tag_name: 'v1', target_commitish: first }), [first, first]);
    await owner.post(`/repos/${name}/git/refs`, { ref: 'refs/tags/there', sha: first });
    assert.deepEqual(await of({ tag_name: 'there', target_commitish: 'main' }), ['main', first]);
    const slashed = await owner.post(`/repos/${name}/releases`, { tag_name: 'pkg/v1' });
    const byTag = await owner.get(`/repos/${name}/releases/tags/pkg%2Fv1`);
    assert.equal(byTag.body.id, slashed.body.id);
    assert.equal((await owner.get(`/repos/${name}/releases/tags/pkg/v1`)).body.id, slashed.body.id);
    assert.match(byTag.body.upload_url, /\/api\/uploads\/repos\/.*\/assets\{\?name,label\}$/);
  });

  test('are drafts for those who can push only, until they are published', async () => {
    const name = await forge.repository(owner, { init: true });
    const path = `/repos/${name}/releases`;
    const { body: draft } = await owner.post(path, { tag_name: 'v1', draft: true, name: 'One' });
    assert.deepEqual([draft.draft, draft.published_at, draft.tarball_url], [true, null, null]);
    assert.match(draft.html_url, /\/releases\/tag\/untagged-\d+$/);
    assert.equal((await owner.get(`/repos/${name}/git/ref/tags/v1`)).status, 404);
    assert.equal((await owner.get(`${path}/tags/v1`)).status, 404);
    assert.equal((await owner.get(`${path}/latest`)).status, 404);
    const readOnly = await forge.withScopes(owner, []);
    for (const who of [stranger, forge.anonymous, readOnly]) {
      assert.deepEqual((await who.get(path)).body, []);
      assert.equal((await who.get(`${path}/${draft.id}`)).status, 404);
    }
    assert.equal((await owner.get(`${path}/${draft.id}`)).body.name, 'One');
    const published = await owner.patch(`${path}/${draft.id}`, { draft: false });
    assert.equal(published.status, 200, published.text);
    assert.match(published.body.published_at, /Z$/);
    assert.equal((await owner.get(`/repos/${name}/git/ref/tags/v1`)).status, 200);
    assert.equal((await stranger.get(`${path}/tags/v1`)).body.id, draft.id);
    assert.equal((await owner.post(path, { tag_name: 'v1', draft: true })).status, 201);
    const again = await owner.patch(`${path}/${draft.id}`, { draft: true });
    assert.deepEqual([again.body.draft, again.body.published_at], [true, null]);
    assert.deepEqual((await stranger.get(path)).body, []);
  });

  test('have a latest one: the last that was made so, never a prerelease', async () => {
    const name = await forge.repository(owner, { init: true });
    const path = `/repos/${name}/releases`;
    const make = async (body: object): Promise<number> => (await owner.post(path, body)).body.id;
    const latest = async (): Promise<string> => (await owner.get(`${path}/latest`)).body.tag_name;
    assert.equal((await owner.get(`${path}/latest`)).status, 404);
    const one = await make({ tag_name: 'v1' });
    assert.equal(await latest(), 'v1');
    const two = await make({ tag_name: 'v2', prerelease: true });
    assert.equal(await latest(), 'v1');
    await make({ tag_name: 'v1.1', make_latest: 'false' });
    assert.equal(await latest(), 'v1');
    await owner.patch(`${path}/${two}`, { prerelease: false });
    assert.equal(await latest(), 'v2');
    await owner.patch(`${path}/${one}`, { make_latest: 'true' });
    assert.equal(await latest(), 'v1');
    await owner.patch(`${path}/${two}`, { name: 'Two' });
    assert.equal(await latest(), 'v1');
    await owner.delete(`${path}/${one}`);
    assert.equal(await latest(), 'v2');
    assert.equal((await owner.post(path, { tag_name: 'v9', make_latest: 'x' })).status, 422);
  });

  test('become the latest by their commit where `legacy` is asked for', async () => {
    const name = await forge.repository(owner);
    const path = `/repos/${name}/releases`;
    const old = await commitFiles(forge, name, 'main', { a: 'a' });
    forge.clock.advance(60_000);
    await commitFiles(forge, name, 'main', { a: 'b' });
    await owner.post(path, { tag_name: 'v2' });
    const backport = { tag_name: 'v1.1', target_commitish: old, make_latest: 'legacy' };
    await owner.post(path, backport);
    assert.equal((await owner.get(`${path}/latest`)).body.tag_name, 'v2');
    await owner.post(path, { tag_name: 'v3', make_latest: 'legacy' });
    assert.equal((await owner.get(`${path}/latest`)).body.tag_name, 'v3');
    assert.deepEqual(await tagNames(name), ['v3', 'v2', 'v1.1']);
    assert.deepEqual(await tagNames(name, owner, '?per_page=1&page=2'), ['v2']);
  });

  test('are edited field by field, and deleted without their tag', async () => {
    const name = await forge.repository(owner, { init: true });
    const path = `/repos/${name}/releases`;
    const { body } = await owner.post(path, { tag_name: 'v1', name: 'One', body: 'Text' });
    const one = `${path}/${body.id}`;
    assert.equal((await owner.patch(one, { body: 'New' })).body.name, 'One');
    assert.equal((await owner.patch(one, { name: null })).body.body, 'New');
    assert.equal((await owner.patch(one, { tag_name: 'v1.0' })).body.tag_name, 'v1.0');
    assert.equal((await owner.get(`/repos/${name}/git/ref/tags/v1.0`)).status, 200);
    await owner.post(path, { tag_name: 'v2' });
    assert.equal(
      (await owner.patch(one, { tag_name: 'v2' })).body.errors[0].code,
      'already_exists',
    );
    assert.equal((await owner.delete(one)).status, 204);
    assert.equal((await owner.get(one)).status, 404);
    assert.equal((await owner.get(`/repos/${name}/git/ref/tags/v1`)).status, 200);
  });

  test('are published with their tag and time, whatever other requests change meanwhile', async () => {
    const name = await forge.repository(owner, { init: true });
    const path = `/repos/${name}/releases`;
    const { body } = await owner.post(path, { tag_name: 'v1', draft: true });
    const id = await repositoryId(forge, name);
    const { repository, stale } = await forge.database.read(async (sql) => ({
      repository: await getRepository(sql, id),
      stale: (await findRelease(sql, id, body.id)) ?? assert.fail(),
    }));
    const caller = { kind: 'user', account: owner.account, scopes: 'password' } as const;
    const write = { repository, caller, now: forge.clock.now() };
    const edit = (input: ReleaseInput): Promise<Release> =>
      editRelease(forge.ports, write, stale, input);
    // Each with the release as it was before the others.
    await edit({ tagName: 'v2' });
    await edit({ draft: false });
    const renamed = await edit({ name: 'Two' });
    assert.deepEqual([renamed.tagName, renamed.draft, renamed.name], ['v2', false, 'Two']);
    assert.notEqual(renamed.publishedAt, null);
    assert.equal((await owner.get(`/repos/${name}/git/ref/tags/v2`)).status, 200);
  });

  test('one of several requests for the same tag succeeds', async () => {
    const name = await forge.repository(owner, { init: true });
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => owner.post(`/repos/${name}/releases`, { tag_name: 'v1' })),
    );
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((one, other) => one - other),
      [201, 422, 422, 422],
    );
    assert.deepEqual(await tagNames(name), ['v1']);
  });

  test('are deleted by one of several requests', async () => {
    const name = await forge.repository(owner, { init: true });
    const { body: release } = await owner.post(`/repos/${name}/releases`, { tag_name: 'v1' });
    const path = `/repos/${name}/releases/${release.id}`;
    const responses = await Promise.all([1, 2, 3].map(() => owner.delete(path)));
    const statuses = responses.map(({ status }) => status).toSorted();
    assert.deepEqual(statuses, [204, 404, 404]);
  });

  test('have generated notes: pulls since the previous release, and new contributors', async () => {
    const name = await forge.repository(owner, { init: true });
    const path = `/repos/${name}/releases`;
    const merge = async (who: TestUser, branch: string, title: string): Promise<number> => {
      await commitFiles(forge, name, branch, { [branch]: title }, { parents: [await tip()] });
      const { body } = await who.post(`/repos/${name}/pulls`, {
        title,
        head: branch,
        base: 'main',
      });
      const merged = await owner.put(`/repos/${name}/pulls/${body.number}/merge`);
      assert.equal(merged.status, 200, merged.text);
      return body.number;
    };
    const tip = async (): Promise<string> =>
      (await owner.get(`/repos/${name}/git/ref/heads/main`)).body.object.sha;
    const invited = await owner.put(`/repos/${name}/collaborators/stranger`);
    await stranger.patch(`/user/repository_invitations/${invited.body.id}`);
    const one = await merge(owner, 'one', 'First change');
    await owner.post(path, { tag_name: 'v1' });
    const two = await merge(owner, 'two', 'Second change');
    const three = await merge(stranger, 'three', 'Third change');
    const home = `http://forge.test/${name}`;
    const notes = await owner.post(`${path}/generate-notes`, { tag_name: 'v2' });
    assert.deepEqual(notes.body, {
      name: 'v2',
      body: [
        "## What's Changed",
        `* Second change by @own in ${home}/pull/${two}`,
        `* Third change by @stranger in ${home}/pull/${three}`,
        '',
        '## New Contributors',
        `* @stranger made their first contribution in ${home}/pull/${three}`,
        '',
        `**Full Changelog**: ${home}/compare/v1...v2`,
      ].join('\n'),
    });
    const all = await owner.post(`${path}/generate-notes`, { tag_name: 'v1' });
    assert.match(all.body.body, new RegExp(`First change by @own in .*/pull/${one}\n`));
    assert.ok(all.body.body.endsWith(`**Full Changelog**: ${home}/commits/v1`));
    const unknown = { tag_name: 'v2', previous_tag_name: 'v0' };
    assert.equal((await owner.post(`${path}/generate-notes`, unknown)).status, 422);
    const release = { tag_name: 'v2', body: 'Mine.', generate_release_notes: true };
    const { body: made } = await owner.post(path, release);
    assert.equal(made.name, 'v2');
    assert.ok(made.body.startsWith("Mine.\n\n## What's Changed\n"));
  });

  test('are in the list of events and read by Apps with the permission for contents', async () => {
    const name = await forge.repository(owner, { init: true });
    const path = `/repos/${name}/releases`;
    const { body } = await owner.post(path, { tag_name: 'v1' });
    const [event] = (await owner.get(`/repos/${name}/events`)).body;
    assert.equal(event.type, 'ReleaseEvent');
    assert.deepEqual([event.payload.action, event.payload.release.id], ['published', body.id]);
    const app = await createTestApp(forge, owner.account.id, {
      name: 'Publisher',
      permissions: { contents: 'write' },
    });
    const robot = await app.token(await app.install('own'));
    assert.equal((await robot.post(path, { tag_name: 'v2' })).body.author.type, 'Bot');
    await owner.delete(`${path}/${body.id}`);
    const events = (await owner.get(`/repos/${name}/events`)).body;
    assert.equal(events.filter(({ type }: { type: string }) => type === 'ReleaseEvent').length, 1);
  });

  test('go with their repository', async () => {
    const name = await forge.repository(owner, { init: true });
    const id = await repositoryId(forge, name);
    await owner.post(`/repos/${name}/releases`, { tag_name: 'v1' });
    assert.equal((await owner.delete(`/repos/${name}`)).status, 204);
    const row = await forge.database.read((sql) =>
      sql.get<{ count: number }>(
        'select count(*) as count from releases where repository_id = $1',
        id,
      ),
    );
    assert.equal(row?.count, 0);
  });
});
