import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, mock, test } from 'node:test';
import { promisify } from 'node:util';

import { createSerialQueues } from '#platform/serial-queues.ts';

import { RefusalError } from '../errors/api-error.ts';
import type { GitRepository } from '../git/git.ts';
import { branchRef, noObject, type ObjectId, parseBranchName } from '../git/names.ts';
import type { Ports } from '../ports/ports.ts';
import { getRepository } from '../repositories/get-repository.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import { gitClientEnvironment } from '../testing/git-client.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { editRepository } from './edit-repository.ts';

type Deletion = 'over the interface' | 'with a merge' | 'by a push';
const deletions: readonly Deletion[] = ['over the interface', 'with a merge', 'by a push'];

describe('the default branch', () => {
  const run = promisify(execFile);
  let forge: TestForge;
  let owner: TestUser;
  let folder: string;
  let address: string;
  /** Another node of the same cluster. */
  let otherNode: Ports;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    folder = await mkdtemp(join(tmpdir(), 'hob-default-branch-'));
    address = await forge.listen();
    otherNode = { ...forge.ports, serialQueues: createSerialQueues() };
  });
  after(async () => {
    await forge.close();
    await rm(folder, { recursive: true, force: true });
  });

  interface TestRepository {
    readonly name: string;
    readonly id: number;
    readonly tip: ObjectId;
  }

  /** With the branches `main`, which is the default one, and `next`, which has a pull. */
  async function newRepository(): Promise<TestRepository> {
    const name = await forge.repository(owner);
    const tip = await commitFiles(forge, name, 'main', { a: '1' });
    await commitFiles(forge, name, 'next', { b: '1' }, { parents: [tip] });
    await owner.patch(`/repos/${name}`, { delete_branch_on_merge: true });
    await owner.post(`/repos/${name}/pulls`, { title: 'Next', head: 'next', base: 'main' });
    await forge.ports.background.idle();
    return { name, id: await repositoryId(forge, name), tip };
  }

  /** Chooses at another node. */
  async function choose({ id }: TestRepository, defaultBranch: string): Promise<void> {
    const found = await forge.database.read((sql) => getRepository(sql, id));
    const by = { actorId: owner.account.id, now: forge.clock.now() };
    await editRepository(otherNode, found, { defaultBranch }, by);
  }

  const git = (...words: readonly string[]) =>
    run('git', words, { cwd: folder, env: gitClientEnvironment(folder) });

  async function push({ name }: TestRepository, ...refs: readonly string[]): Promise<string> {
    const remote = `http://own:${owner.token}@${address}/${name}.git`;
    const pushed = git('push', remote, ...refs);
    return pushed.then(
      () => '',
      (error: Error) => error.message,
    );
  }

  /** Whether `next` was deleted. */
  async function deleteNext(repository: TestRepository, how: Deletion): Promise<boolean> {
    const { name } = repository;
    switch (how) {
      case 'over the interface':
        await owner.delete(`/repos/${name}/git/refs/heads/next`);
        break;
      case 'with a merge':
        assert.equal((await owner.put(`/repos/${name}/pulls/1/merge`)).status, 200);
        break;
      case 'by a push':
        await git('init', '-q');
        await push(repository, ':refs/heads/next');
        break;
    }
    return (await tipOf(repository, 'next')) === undefined;
  }

  function tipOf({ id }: TestRepository, branch: string): Promise<ObjectId | undefined> {
    return forge.git.repository(id).readRef(branchRef(parseBranchName(branch) ?? assert.fail()));
  }

  /** What clones check out, and what the API shows. */
  async function shown({ name, id }: TestRepository): Promise<readonly (string | undefined)[]> {
    const advertised = await forge.git.repository(id).advertise('upload-pack', undefined);
    const text = Buffer.concat(await advertised.toArray()).toString();
    const [, head] = /symref=HEAD:refs\/heads\/(\S+)/.exec(text) ?? [];
    return [head, (await owner.get(`/repos/${name}`)).body.default_branch];
  }

  /** Replaces the next call that this server makes to git. */
  function replaceOnce(replacement: (repository: GitRepository) => Partial<GitRepository>): void {
    const { git: port } = forge.ports;
    const open = port.repository.bind(port);
    mock.method(port, 'repository', (id: number) => ({ ...open(id), ...replacement(open(id)) }));
  }

  /** Does something after a deletion is recorded, and before git makes it. */
  function onDeletion(act: () => Promise<void>): void {
    replaceOnce((repository) => ({
      async updateRefs(updates) {
        if (updates.some((update) => update.new === noObject)) {
          mock.restoreAll();
          await act();
        }
        return repository.updateRefs(updates);
      },
      receivePack: (body, options, mayMove) =>
        repository.receivePack(body, options, async () => {
          mock.restoreAll();
          const refusal = await mayMove?.();
          await act();
          return refusal;
        }),
    }));
  }

  /** Does something before `HEAD` is set. */
  function onHead(act: () => Promise<void>): void {
    replaceOnce((repository) => ({
      async setHead(branch) {
        mock.restoreAll();
        await act();
        return repository.setHead(branch);
      },
    }));
  }

  const isBeingDeleted = (error: unknown): boolean =>
    error instanceof RefusalError &&
    error.refusal.kind === 'conflict' &&
    error.refusal.message === 'The branch next is being deleted. Try again.';

  const isNotFound = (error: unknown): boolean =>
    error instanceof RefusalError &&
    error.refusal.kind === 'validation-failed' &&
    error.refusal.errors[0]?.message?.startsWith('The branch next was not found.') === true;

  for (const how of deletions) {
    test(`is no branch that is being deleted ${how}`, async () => {
      const repository = await newRepository();
      onDeletion(async () => {
        await assert.rejects(choose(repository, 'next'), isBeingDeleted);
      });
      assert.equal(await deleteNext(repository, how), true);
      assert.deepEqual(await shown(repository), ['main', 'main']);
    });

    test(`is no branch that was deleted ${how} since it was found`, async () => {
      const repository = await newRepository();
      onHead(async () => {
        assert.equal(await deleteNext(repository, how), true);
      });
      await assert.rejects(choose(repository, 'next'), isNotFound);
      assert.deepEqual(await shown(repository), ['main', 'main']);
    });

    test(`is not deleted ${how}`, async () => {
      const repository = await newRepository();
      await choose(repository, 'next');
      assert.equal(await deleteNext(repository, how), false);
      assert.deepEqual(await shown(repository), ['next', 'next']);
    });
  }

  test('is not deleted by a push that began when another branch was the default one', async () => {
    const repository = await newRepository();
    await git('init', '-q');
    replaceOnce((opened) => ({
      receivePack: (body, options, mayMove) =>
        opened.receivePack(body, options, async () => {
          mock.restoreAll();
          await choose(repository, 'next');
          return mayMove?.();
        }),
    }));
    const message = await push(repository, ':refs/heads/next');
    assert.match(message, /The protection of refs\/heads\/next changed while the push/);
    assert.deepEqual(await shown(repository), ['next', 'next']);
    assert.match(
      await push(repository, ':refs/heads/next'),
      /refusing to delete the current branch/,
    );
  });

  test('is not deleted by a push while HEAD names the next one', async () => {
    const repository = await newRepository();
    await git('init', '-q');
    let message = '';
    onHead(async () => {
      await forge.git.repository(repository.id).setHead(parseBranchName('next') ?? assert.fail());
      message = await push(repository, ':refs/heads/main');
    });
    await choose(repository, 'next');
    assert.match(message, /Cannot delete the default branch: change the default branch first/);
    assert.equal(await tipOf(repository, 'main'), repository.tip);
    assert.deepEqual(await shown(repository), ['next', 'next']);
    assert.equal(await push(repository, ':refs/heads/main'), '');
  });

  test('is refused for its own reason where HEAD cannot be set back', async () => {
    const repository = await newRepository();
    onHead(async () => {
      assert.equal(await deleteNext(repository, 'over the interface'), true);
      replaceOnce(() => ({ setHead: () => Promise.reject(new Error('git does not run')) }));
    });
    await assert.rejects(choose(repository, 'next'), isNotFound);
    mock.restoreAll();
  });

  test('is that of HEAD, whichever of two choices is made last', async () => {
    const repository = await newRepository();
    await commitFiles(forge, repository.name, 'other', { c: '1' });
    onHead(() => choose(repository, 'other'));
    await owner.patch(`/repos/${repository.name}`, { default_branch: 'next' });
    assert.deepEqual(await shown(repository), ['next', 'next']);
  });

  test('is that of HEAD after another was chosen than the one that it is chosen from', async () => {
    const repository = await newRepository();
    const stale = await forge.database.read((sql) => getRepository(sql, repository.id));
    await choose(repository, 'next');
    const by = { actorId: owner.account.id, now: forge.clock.now() };
    await editRepository(otherNode, stale, { defaultBranch: 'main' }, by);
    assert.deepEqual(await shown(repository), ['main', 'main']);
  });

  test('is that of HEAD where it is renamed while another is chosen', async () => {
    const repository = await newRepository();
    onHead(() => choose(repository, 'next'));
    const renamed = await owner.post(`/repos/${repository.name}/branches/main/rename`, {
      new_name: 'trunk',
    });
    assert.equal(renamed.status, 201, renamed.text);
    assert.deepEqual(await shown(repository), ['next', 'next']);
    assert.equal(await tipOf(repository, 'trunk'), repository.tip);
  });

  test('of an archived repository must be there as well', async () => {
    const repository = await newRepository();
    await owner.patch(`/repos/${repository.name}`, { archived: true });
    const absent = { archived: false, default_branch: 'absent' };
    assert.equal((await owner.patch(`/repos/${repository.name}`, absent)).status, 422);
    const present = { archived: false, default_branch: 'next' };
    assert.equal((await owner.patch(`/repos/${repository.name}`, present)).status, 200);
    assert.deepEqual(await shown(repository), ['next', 'next']);
  });

  test('is not the first branch of a repository where that is deleted at once', async () => {
    const name = await forge.repository(owner);
    const repository = { name, id: await repositoryId(forge, name) };
    onHead(async () => {
      assert.equal((await owner.delete(`/repos/${name}/git/refs/heads/first`)).status, 204);
    });
    await commitFiles({ ...forge, ports: otherNode }, name, 'first', { a: '1' });
    assert.equal((await owner.get(`/repos/${name}`)).body.default_branch, 'main');
    const tip = await commitFiles(forge, name, 'second', { a: '1' });
    assert.deepEqual(await shown({ ...repository, tip }), ['second', 'second']);
  });
});
