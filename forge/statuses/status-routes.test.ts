import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { updateRepository } from '../repositories/repository-store.ts';
import { writeRepository } from '../events/invalidate.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { insertStatus } from './status-store.ts';

describe('POST /repos/:owner/:repo/statuses/:sha', () => {
  let forge: TestForge;
  let owner: TestUser;
  let fullName: string;
  let sha: string;
  let path: string;
  before(async () => {
    forge = await startTestForge();
    owner = await forge.user();
    fullName = await forge.repository(owner);
    sha = await commitFiles(forge, fullName, 'main', { 'a.txt': 'a\n' });
    path = `/repos/${fullName}/statuses/${sha}`;
  });
  after(() => forge.close());

  it('responds with 404 to those who may not push', async () => {
    const outsider = await forge.user();
    const unscoped = await forge.withScopes(owner, []);
    for (const client of [forge.anonymous, outsider, unscoped]) {
      const response = await client.post(path, { state: 'success' });
      assert.equal(response.status, 404);
      assert.equal(response.body.message, 'Not Found');
    }
    assert.deepEqual((await owner.get(`/repos/${fullName}/commits/main/statuses`)).body, []);
  });

  it('responds with 404 to users without access to a private repository', async () => {
    const hidden = await forge.repository(owner, { private: true });
    const commit = await commitFiles(forge, hidden, 'main', { a: '1' });
    const outsider = await forge.user();
    const response = await outsider.post(`/repos/${hidden}/statuses/${commit}`, {
      state: 'success',
    });
    assert.equal(response.status, 404);
  });

  it('refuses archived repositories', async () => {
    const archived = await forge.repository(owner);
    const commit = await commitFiles(forge, archived, 'main', { a: '1' });
    const id = await repositoryId(forge, archived);
    await writeRepository(forge.database, id, (sql) =>
      updateRepository(sql, id, { archived: true }, forge.clock.now()),
    );
    const response = await owner.post(`/repos/${archived}/statuses/${commit}`, {
      state: 'success',
    });
    assert.equal(response.status, 403);
    assert.equal(response.body.message, 'Repository was archived so is read-only.');
  });

  it('refuses bodies that are not JSON objects', async () => {
    const cut = await owner.post(path, '{');
    assert.deepEqual([cut.status, cut.body.message], [400, 'Problems parsing JSON']);
    const list = await owner.post(path, []);
    assert.deepEqual([list.status, list.body.message], [400, 'Body should be a JSON object']);
    const number = await owner.post(path, { state: 5 });
    assert.equal(number.status, 422);
    assert.equal(number.body.message, 'Validation Failed');
    const [error] = number.body.errors;
    assert.deepEqual([error.resource, error.field, error.code], ['Status', 'state', 'invalid']);
    assert.match(error.message, /^For 'properties\/state', 5 is not a/);
  });

  it('refuses an unknown state, and a missing one with the same message', async () => {
    for (const [body, code] of [
      [{ state: 'foo' }, 'custom'],
      [{}, 'missing_field'],
      [{ state: null }, 'missing_field'],
      [undefined, 'missing_field'],
    ] as const) {
      const response = await owner.post(path, body);
      assert.equal(response.status, 422);
      assert.equal(response.body.message, 'Validation Failed');
      assert.deepEqual(response.body.errors, [
        {
          resource: 'Status',
          code,
          field: 'state',
          message: 'state is not included in the list',
        },
      ]);
    }
  });

  it('takes a description of 140 characters and refuses one more', async () => {
    const fits = await owner.post(path, { state: 'success', description: 'x'.repeat(140) });
    assert.equal(fits.status, 201);
    assert.equal(fits.body.description, 'x'.repeat(140));
    const long = await owner.post(path, { state: 'success', description: 'x'.repeat(141) });
    assert.equal(long.status, 422);
    assert.deepEqual(long.body.errors, [
      {
        resource: 'Status',
        code: 'custom',
        field: 'description',
        message: 'description is too long (maximum is 140 characters)',
      },
    ]);
  });

  it('refuses target URLs that are not of the web', async () => {
    const response = await owner.post(path, { state: 'success', target_url: 'ftp://x' });
    assert.equal(response.status, 422);
    assert.equal(response.body.errors[0].field, 'target_url');
    assert.equal(response.body.errors[0].message, 'target_url must use http(s) scheme');
  });

  it('takes nothing but the whole id of a commit of this repository', async () => {
    const other = await forge.repository(owner);
    const foreign = await commitFiles(forge, other, 'main', { b: 'b' });
    const git = forge.git.repository(await repositoryId(forge, fullName));
    const blob = await git.writeBlob(Buffer.from('a\n'));
    const revisions = ['main', sha.slice(0, 10), '0'.repeat(40), foreign, blob, 'heads%2Fmain'];
    for (const revision of revisions) {
      const response = await owner.post(`/repos/${fullName}/statuses/${revision}`, {
        state: 'success',
      });
      assert.equal(response.status, 422, revision);
      const shown = decodeURIComponent(revision);
      assert.equal(response.body.message, `No commit found for SHA: ${shown}`);
      assert.equal('errors' in response.body, false);
    }
  });

  it('records a status, which its URL and its Location name by the commit', async () => {
    const response = await owner.post(path, { state: 'pending' });
    assert.equal(response.status, 201);
    const { id, node_id: nodeId, creator, ...rest } = response.body;
    const url = `http://forge.test/api/v3${path}`;
    assert.deepEqual(rest, {
      url,
      avatar_url: creator.avatar_url,
      state: 'pending',
      description: null,
      target_url: null,
      context: 'default',
      created_at: '2026-01-05T09:30:00Z',
      updated_at: '2026-01-05T09:30:00Z',
    });
    assert.equal(response.headers['location'], url);
    assert.equal(creator.login, owner.login);
    assert.equal(Buffer.from(nodeId, 'base64').toString(), `013:StatusContext${id}`);
    assert.equal(response.headers['x-accepted-oauth-scopes'], '');
    assert.match(response.headers['etag'] ?? '', /^"[0-9a-f]+"$/);
  });

  it('keeps what was said, null where it was blank', async () => {
    const said = {
      state: 'failure',
      description: 'one of 9 tests failed',
      target_url: 'https://ci.test/builds/1',
      context: 'CI/Linux',
    };
    const full = await owner.post(path, said);
    for (const [name, value] of Object.entries(said)) assert.equal(full.body[name], value);
    const blank = await owner.post(path, { state: 'error', description: '', target_url: null });
    assert.equal(blank.body.description, null);
    assert.equal(blank.body.target_url, null);
  });

  it('is found under the canonical path too', async () => {
    const id = await repositoryId(forge, fullName);
    const canonical = `/api/v3/repositories/${id}/statuses/${sha.toUpperCase()}`;
    const response = await owner.post(canonical, { state: 'success' });
    assert.equal(response.status, 201);
    assert.equal(response.body.url, `http://forge.test/api/v3${path}`);
  });

  it('is open to tokens for statuses, which open nothing else', async () => {
    const hidden = await forge.repository(owner, { private: true });
    const commit = await commitFiles(forge, hidden, 'main', { a: '1' });
    const token = await forge.withScopes(owner, ['repo:status']);
    for (const [name, id] of [
      [hidden, commit],
      [fullName, sha],
    ] as const) {
      const created = await token.post(`/repos/${name}/statuses/${id}`, { state: 'success' });
      assert.equal(created.status, 201);
      for (const read of [`statuses/${id}`, 'commits/main/statuses', 'commits/main/status']) {
        assert.equal((await token.get(`/repos/${name}/${read}`)).status, 200, read);
      }
    }
    assert.equal((await token.get(`/repos/${hidden}`)).status, 404);
    assert.equal((await token.get(`/repos/${hidden}/invitations`)).status, 404);
    assert.equal((await token.get(`/repos/${hidden}/collaborators`)).status, 404);
    assert.equal((await token.get('/user/repository_invitations')).status, 404);
  });

  it('refuses the 1001st status of a context, however many come at once', async () => {
    const limited = await forge.repository(owner);
    const commit = await commitFiles(forge, limited, 'main', { a: '1' });
    const id = await repositoryId(forge, limited);
    await writeRepository(forge.database, id, async (sql) => {
      for (let count = 0; count < 980; count += 1) {
        await insertStatus(sql, {
          repositoryId: id,
          sha: commit,
          state: 'pending',
          description: null,
          targetUrl: null,
          context: 'ci',
          creatorId: owner.account.id,
          createdAt: forge.clock.now(),
        });
      }
    });
    const url = `/repos/${limited}/statuses/${commit}`;
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        owner.post(url, { state: 'success', context: index % 2 === 0 ? 'ci' : 'CI' }),
      ),
    );
    const refused = responses.filter((response) => response.status === 422);
    assert.equal(responses.filter((response) => response.status === 201).length, 20);
    assert.equal(refused.length, 10);
    for (const response of refused) {
      assert.equal(response.body.message, 'Validation Failed');
      assert.deepEqual(response.body.errors, [
        {
          resource: 'Status',
          code: 'custom',
          message: 'This SHA and context has reached the maximum number of statuses.',
        },
      ]);
    }
    const last = await owner.get(`/repos/${limited}/commits/main/statuses?per_page=100&page=11`);
    assert.deepEqual(last.body, []);
    assert.match(last.headers['link'] ?? '', /page=10>; rel="prev"/);
    assert.equal((await owner.post(url, { state: 'success', context: 'other' })).status, 201);
  });
});
