import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { PendingWork } from '#platform/pending-work.ts';

import { branchRef, parseBranchName, parseObjectId } from '../git/names.ts';
import { nodeId } from '../json/node-id.ts';
import { openPull } from '../testing/pull-fixture.ts';
import { insertIntent, openIntents } from '../ref-updates/intent-store.ts';
import { findInterrupted } from '../ref-updates/reconcile.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import { repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('a repository whose refs a crash left ahead of its rows', () => {
  let forge: TestForge;
  let owner: TestUser;
  let host: string;

  before(async () => {
    forge = await startTestForge({}, { reconciliation: new PendingWork({ waitMilliseconds: 1 }) });
    owner = await forge.user('own');
    host = await forge.listen();
  });
  after(() => forge.close());

  /** A pull whose head was pushed to: git has moved the branch, and the process died before it wrote the rows. */
  async function interruptedPush(): Promise<{ name: string; path: string; next: string }> {
    const { name, path, head } = await openPull(forge, owner);
    const id = await repositoryId(forge, name);
    const git = forge.git.repository(id);
    const [branch, old] = [parseBranchName('topic'), parseObjectId(head)];
    const commit = old && (await git.readCommit(old));
    assert.ok(branch && commit);
    const next = await git.writeCommit({ ...commit, parents: [commit.id], message: 'next' });
    const refs = [{ ref: branchRef(branch), old: commit.id, new: next }];
    const now = forge.clock.now();
    await forge.database.write((sql) =>
      insertIntent(sql, { repositoryId: id, refs, merge: undefined, kind: 'push', now }),
    );
    await git.updateRefs(refs);
    return { name, path, next };
  }

  async function networkOf(name: string): Promise<number> {
    const id = await repositoryId(forge, name);
    const found = await forge.database.read((sql) => repositoriesById(sql, [id]));
    return found.get(id)?.networkId ?? assert.fail();
  }

  /** Over a socket: a 503 is expected here. */
  function send(path: string, method = 'GET', body?: unknown): Promise<Response> {
    return fetch(`http://${host}${path}`, {
      method,
      headers: {
        authorization: `Basic ${btoa(`${owner.login}:${owner.token}`)}`,
        'user-agent': 'hob-test',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  test('is reconciled by the first request for it', async () => {
    const one = await interruptedPush();
    const other = await interruptedPush();
    assert.equal((await findInterrupted(forge.ports)).intents, 2);
    // More time than the wait that this forge allows: it is the same work that is waited for.
    let response = await send(`/api/v3${one.path}`);
    for (let tries = 0; response.status === 503 && tries < 10_000; tries += 1) {
      await response.body?.cancel();
      response = await send(`/api/v3${one.path}`);
    }
    const pull: any = await response.json();
    assert.equal(pull.head.sha, one.next);
    assert.equal((await forge.database.read(openIntents)).length, 1, 'the other can wait');
    await forge.ports.reconciliation.finish(1, (error) => assert.ifError(error));
    assert.equal((await owner.get(other.path)).body.head.sha, other.next);
    assert.deepEqual(await forge.database.read(openIntents), []);
  });

  test('responds with 503 where that takes too long, and so do its forks; all others answer', async () => {
    const { name, path, response: created } = await openPull(forge, owner);
    const elsewhere = await openPull(forge, owner);
    const forker = await forge.user();
    const fork = (await forker.post(`/repos/${name}/forks`)).body.full_name;
    await forge.ports.background.idle();
    const { promise: step, resolve: finish } = Promise.withResolvers<void>();
    let runs = 0;
    forge.ports.reconciliation.add(await networkOf(name), async () => {
      runs += 1;
      await step;
    });
    const mutation = `mutation { convertPullRequestToDraft(input: { pullRequestId: "${nodeId('PullRequest', created.body.id)}" }) { pullRequest { id } } }`;
    const held: readonly [path: string, method?: string, body?: unknown][] = [
      [`/api/v3${path}`],
      [`/api/v3/repositories/${await repositoryId(forge, name)}`],
      [`/api/v3/repos/${fork}`],
      [`/api/v3${path}/merge`, 'PUT', {}],
      [`/api/v3/repos/${name}/git/refs/heads/topic`, 'DELETE'],
      [`/graphql`, 'POST', { query: mutation }],
      [`/${name}`],
      [`/${name}.git/info/refs?service=git-upload-pack`],
      [`/${name}.git/info/refs?service=git-receive-pack`],
    ];
    for (const [target, method, body] of held) {
      const response = await send(target, method, body);
      assert.equal(response.status, 503, target);
      assert.equal(response.headers.get('retry-after'), '1', target);
      assert.match(
        await response.text(),
        /The repository is being recovered after a crash/,
        target,
      );
    }
    assert.equal(runs, 1);
    assert.equal((await owner.get(elsewhere.path)).status, 200);
    assert.equal((await owner.get('/user/repos')).status, 200);
    finish();
    await step;
    await forge.ports.reconciliation.finish(1, (error) => assert.ifError(error));
    assert.equal((await owner.get(path)).body.draft, false);
    assert.equal((await forker.get(`/repos/${fork}`)).status, 200);
  });

  test('says nothing of itself to those who may not know of it', async () => {
    const name = await forge.repository(owner, { private: true, init: true });
    const outsider = await forge.user();
    forge.ports.reconciliation.add(await networkOf(name), async () => {});
    assert.equal((await outsider.get(`/repos/${name}`)).status, 404);
    await forge.ports.reconciliation.finish(1, (error) => assert.ifError(error));
  });
});
