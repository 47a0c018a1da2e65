import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { createBackgroundWork } from '#platform/background.ts';
import { DatabaseUnavailableError } from '#platform/storage-failure.ts';

import type { GitRepository } from '../../git/git.ts';
import { GitError } from '../../git/git-error.ts';
import { type ObjectId, pullHeadRef } from '../../git/names.ts';
import type { Ports } from '../../ports/ports.ts';
import { openIntents } from '../../ref-updates/intent-store.ts';
import { repositoriesById } from '../../repositories/repository-store.ts';
import { commitFiles, repositoryId } from '../../testing/commits.ts';
import { committingLate } from '../../testing/late-commit.ts';
import { reconcile } from '../../testing/reconcile.ts';
import { startTestForge, type TestForge, type TestUser } from '../../testing/test-forge.ts';
import { createPull } from './create-pull.ts';

describe('refs/pull/N/head of a pull that is opened', () => {
  /** The process ends here: nothing after this runs. */
  class Crash extends Error {}

  let forge: TestForge;
  let owner: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
  });
  after(() => forge.close());

  /** A repository with `main`, and `topic` with one commit more. */
  async function branches(): Promise<{ name: string; id: number; head: string }> {
    const name = await forge.repository(owner);
    const base = await commitFiles(forge, name, 'main', { 'README.md': 'one\n' });
    const head = await commitFiles(forge, name, 'topic', { new: 'new\n' }, { parents: [base] });
    return { name, id: await repositoryId(forge, name), head };
  }

  async function open(id: number, ports: Ports): Promise<number> {
    const found = await forge.database.read((sql) => repositoriesById(sql, [id]));
    const repository = found.get(id) ?? assert.fail('The repository is gone.');
    return createPull(ports, {
      repository,
      caller: { kind: 'user', account: owner.account, scopes: 'password' },
      source: { title: 'Add a file', body: null },
      base: 'main',
      head: 'topic',
      headRepository: undefined,
      settings: {},
      now: forge.clock.now(),
    });
  }

  /** Ports in which git fails so often when the ref is to be created. */
  function failing(times: number, error: Error): Ports {
    let left = times;
    function repository(id: number): GitRepository {
      const real = forge.git.repository(id);
      const updateRefs: GitRepository['updateRefs'] = async (updates) => {
        left -= 1;
        if (left >= 0) throw error;
        return real.updateRefs(updates);
      };
      return { ...real, updateRefs };
    }
    return { ...forge.ports, git: { ...forge.git, repository } };
  }

  /** A process that ends then. */
  const crashing = (): Ports => ({
    ...failing(1, new Crash()),
    background: { run() {}, idle: async () => {}, close: async () => {} },
  });

  const headOf = (id: number): Promise<ObjectId | undefined> =>
    forge.git.repository(id).readRef(pullHeadRef(1));

  async function intents(): Promise<number> {
    return (await forge.database.read(openIntents)).length;
  }

  test('is created by the next start where the process ended before it was', async () => {
    const { name, id, head } = await branches();
    await assert.rejects(open(id, crashing()), Crash);
    assert.equal(await headOf(id), undefined);
    assert.equal(await intents(), 1);
    await reconcile(forge.ports);
    assert.equal(await headOf(id), head);
    assert.equal(await intents(), 0);
    assert.equal((await owner.get(`/repos/${name}/pulls/1`)).body.head.sha, head);
    assert.equal((await owner.put(`/repos/${name}/pulls/1/merge`)).status, 200);
  });

  test('stays what a push made of it before the next start', async () => {
    const { name, id, head } = await branches();
    await assert.rejects(open(id, crashing()), Crash);
    const change = { message: 'more', content: '', branch: 'topic' };
    const { body } = await owner.put(`/repos/${name}/contents/more`, change);
    assert.notEqual(body.commit.sha, head);
    await reconcile(forge.ports);
    assert.equal(await headOf(id), body.commit.sha);
    assert.equal(await intents(), 0);
    assert.equal((await owner.get(`/repos/${name}/pulls/1`)).body.head.sha, body.commit.sha);
  });

  test('is created once git is back, without a restart', async () => {
    const { id, head } = await branches();
    const errors: unknown[] = [];
    const background = createBackgroundWork({
      onError: (error) => errors.push(error),
      retryMilliseconds: 1,
    });
    const away = new GitError('unavailable', 'It is being started again.');
    const opening = open(id, { ...failing(3, away), background });
    await assert.rejects(opening, { kind: 'unavailable' });
    const deadline = Date.now() + 60_000;
    while ((await intents()) > 0) {
      assert.ok(Date.now() < deadline, 'the intent is left open');
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await background.close();
    assert.equal(await headOf(id), head);
    assert.equal(errors.length, 1, 'the log has it once');
  });

  test('is created although the database acknowledged the pull to nobody', async () => {
    const { id, head } = await branches();
    const { database, isCommitted } = committingLate(forge.database);
    const background = createBackgroundWork({
      onError: (error) => assert.fail(String(error)),
      retryMilliseconds: 1,
    });
    const opening = open(id, { ...forge.ports, database, background });
    await assert.rejects(opening, DatabaseUnavailableError);
    const deadline = Date.now() + 60_000;
    while (!isCommitted() || (await intents()) > 0) {
      assert.ok(Date.now() < deadline, 'the intent is left open');
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await background.close();
    assert.equal(await headOf(id), head);
  });
});
