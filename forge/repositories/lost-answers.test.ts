import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { Database } from '#platform/database/database.ts';
import { DatabaseUnavailableError } from '#platform/storage-failure.ts';

import { findAccount } from '../accounts/account-store.ts';
import { parseBranchName } from '../git/names.ts';
import type { Account } from '../model/account.ts';
import type { Repository } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { repositoryId } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { createRepository, type NewRepository } from './create-repository.ts';
import { deleteRepository } from './delete-repository.ts';
import { forkRepository } from './fork-repository.ts';
import { writeRepository } from '../events/invalidate.ts';
import { markDeleting, unreadyRepositories } from './repository-life-store.ts';
import { repositoriesById } from './repository-store.ts';

describe('when the answer of the database to a commit is lost', () => {
  let forge: TestForge;
  let owner: TestUser;
  let stranger: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    stranger = await forge.user('stranger');
  });
  after(() => forge.close());

  /** Ports whose database fails in one write, counted from 1: before its commit, or after it. */
  function failingIn(which: number, when: 'before' | 'after'): Ports {
    let writes = 0;
    const write: Database['write'] = async (work, options) => {
      writes += 1;
      const fails = writes === which;
      const unavailable = new DatabaseUnavailableError(new Error('terminated'));
      if (!fails) return forge.database.write(work, options);
      if (when === 'after') await forge.database.write(work, options);
      throw unavailable;
    };
    const database: Database = Object.assign(Object.create(forge.database), { write });
    return { ...forge.ports, database };
  }

  async function accountOf(login: string): Promise<Account> {
    const account = await forge.database.read((sql) => findAccount(sql, login));
    assert.ok(account);
    return account;
  }

  async function repositoryOf(name: string): Promise<Repository> {
    const id = await repositoryId(forge, name);
    const found = (await forge.database.read((sql) => repositoriesById(sql, [id]))).get(id);
    assert.ok(found);
    return found;
  }

  async function create(
    name: string,
    ports: Ports,
    firstCommit?: NewRepository['firstCommit'],
  ): Promise<Repository> {
    const account = await accountOf('own');
    const defaultBranch = parseBranchName('main');
    assert.ok(defaultBranch);
    return createRepository(ports, {
      owner: account,
      creator: account,
      name,
      description: null,
      homepage: null,
      private: false,
      defaultBranch,
      settings: {},
      firstCommit,
      now: forge.clock.now(),
    });
  }

  async function assertNothingUnready(): Promise<void> {
    await forge.ports.background.idle();
    assert.deepEqual(await forge.database.read(unreadyRepositories), []);
  }

  for (const [which, when, status] of [
    [1, 'before', 404],
    [1, 'after', 404],
    [2, 'before', 404],
    [2, 'after', 200],
  ] as const) {
    test(`creation leaves a whole repository or none: write ${which}, ${when} its commit`, async () => {
      const name = `created-${which}-${when}`;
      await assert.rejects(create(name, failingIn(which, when)), DatabaseUnavailableError);
      await assertNothingUnready();
      assert.equal((await owner.get(`/repos/own/${name}`)).status, status);
      if (status === 404) await forge.repository(owner, { name });
    });
  }

  /** Ports whose first write is undone as a full disk undoes it, and what they leave to the background. */
  function withFullDisk(): { ports: Ports; left: (() => Promise<void | 'again'>)[] } {
    const left: (() => Promise<void | 'again'>)[] = [];
    let writes = 0;
    const write: Database['write'] = async (work, options) => {
      writes += 1;
      if (writes > 1) return forge.database.write(work, options);
      return forge.database.write(async (sql) => {
        await work(sql);
        throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
      }, options);
    };
    const database: Database = Object.assign(Object.create(forge.database), { write });
    const background: Ports['background'] = Object.assign(Object.create(forge.ports.background), {
      run: (_key: string, work: () => Promise<void | 'again'>) => void left.push(work),
    });
    return { ports: { ...forge.ports, database, background }, left };
  }

  // SQLite gives the id of a row that was undone to the next one.
  test('what a full disk undoes is not looked for: the next repository may have its id', async () => {
    const { ports, left } = withFullDisk();
    await assert.rejects(create('undone', ports), /disk is full/);
    const git: Ports['git'] = {
      ...forge.git,
      async create(id, branch) {
        await forge.git.create(id, branch);
        for (const work of left) await work();
      },
    };
    await create('next', { ...forge.ports, git });
    assert.equal((await owner.get('/repos/own/next')).status, 200);
    await assertNothingUnready();
  });

  test('nor is a fork that a full disk undoes', async () => {
    const source = await repositoryOf(await forge.repository(owner, { name: 's', init: true }));
    const account = await accountOf('stranger');
    const fork = { source, owner: account, creator: account, now: forge.clock.now() };
    const { ports, left } = withFullDisk();
    await assert.rejects(forkRepository(ports, fork), /disk is full/);
    const git: Ports['git'] = {
      ...forge.git,
      async fork(sourceId, id, branch) {
        await forge.git.fork(sourceId, id, branch);
        for (const work of left) await work();
      },
    };
    await forkRepository({ ...forge.ports, git }, fork);
    assert.equal((await stranger.get('/repos/stranger/s')).status, 200);
    await assertNothingUnready();
  });

  /** Another server marks each new repository as one that it removes, and goes on with that. */
  function takenForDead(remove: (id: number) => Promise<void> = async () => {}): Ports {
    const git: Ports['git'] = {
      ...forge.git,
      async create(id, branch) {
        await forge.git.create(id, branch);
        await writeRepository(forge.database, id, (sql) => markDeleting(sql, id, 'another'));
        await remove(id);
      },
    };
    return { ...forge.ports, git };
  }

  test('a creation that another server removes, as that of a dead one, is refused and leaves nothing', async () => {
    const creation = create('taken-for-dead', takenForDead());
    await assert.rejects(creation, {
      refusal: { kind: 'unavailable', message: 'The repository was not created. Try again.' },
    });
    await assertNothingUnready();
    assert.equal((await owner.get('/repos/own/taken-for-dead')).status, 404);
    await forge.repository(owner, { name: 'taken-for-dead' });
  });

  test('so is one whose files it removes before they are all there', async () => {
    const ports = takenForDead((id) => forge.git.remove(id));
    const signature = { name: 'Own', email: 'own@example.com', seconds: 0, offsetMinutes: 0 };
    const files = [{ path: 'README.md', text: '# Taken\n' }];
    const creation = create('taken-early', ports, { files, signature });
    await assert.rejects(creation, {
      refusal: { kind: 'unavailable', message: 'The repository was not created. Try again.' },
    });
    await assertNothingUnready();
  });

  for (const [which, when, status] of [
    [1, 'before', 404],
    [1, 'after', 404],
    [2, 'before', 404],
    [2, 'after', 404],
    [3, 'before', 404],
    [3, 'after', 200],
  ] as const) {
    test(`a fork is whole or absent: write ${which}, ${when} its commit`, async () => {
      const name = `source-${which}-${when}`;
      const source = await repositoryOf(await forge.repository(owner, { name, init: true }));
      const account = await accountOf('stranger');
      const fork = { source, owner: account, creator: account, now: forge.clock.now() };
      const forking = forkRepository(failingIn(which, when), fork);
      await assert.rejects(forking, DatabaseUnavailableError);
      await assertNothingUnready();
      assert.equal((await stranger.get(`/repos/stranger/${name}`)).status, status);
    });
  }

  for (const [which, when, status] of [
    [1, 'before', 200],
    [1, 'after', 404],
    [2, 'before', 404],
    [2, 'after', 404],
    [3, 'before', 404],
    [3, 'after', 404],
  ] as const) {
    test(`a deletion is whole or did not happen: write ${which}, ${when} its commit`, async () => {
      const name = `deleted-${which}-${when}`;
      const repository = await repositoryOf(await forge.repository(owner, { name, init: true }));
      const deletion = deleteRepository(failingIn(which, when), repository, {
        actorId: repository.owner.id,
        now: forge.clock.now(),
      });
      await assert.rejects(deletion, DatabaseUnavailableError);
      await assertNothingUnready();
      assert.equal((await owner.get(`/repos/own/${name}`)).status, status);
      if (status === 404) {
        await assert.rejects(forge.git.repository(repository.id).listRefs('refs/'), {
          kind: 'missing-repository',
        });
      }
    });
  }
});
