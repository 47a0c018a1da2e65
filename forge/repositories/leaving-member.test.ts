import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { changeMembership } from '../accounts/membership.ts';
import { RefusalError } from '../errors/api-error.ts';
import { branchName } from '../git/testing/test-git.ts';
import type { Account } from '../model/account.ts';
import { repositoryId } from '../testing/commits.ts';
import { fullName } from '../model/repository.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { createRepository } from './create-repository.ts';
import { forkRepository } from './fork-repository.ts';
import { repositoriesById } from './repository-store.ts';

describe('a member whose membership ends', () => {
  let forge: TestForge;
  let owner: TestUser;
  before(async () => {
    forge = await startTestForge();
    owner = await forge.user();
  });
  after(() => forge.close());

  async function withMember(): Promise<{ organization: Account; member: TestUser }> {
    const organization = await forge.organization(owner);
    const member = await forge.user();
    await forge.database.write((sql) =>
      changeMembership(sql, organization, member.account, 'member'),
    );
    return { organization, member };
  }

  /** Ends the membership by the rows of before what happens meanwhile; SQLite has one writer. */
  async function endWhile(
    { organization, member }: { organization: Account; member: TestUser },
    meanwhile: () => Promise<unknown>,
  ): Promise<void> {
    const begun = Promise.withResolvers<void>();
    const happened = begun.promise.then(meanwhile);
    await forge.database.write(async (sql) => {
      await sql.get('select 1 as found from accounts where id = $1', organization.id);
      begun.resolve();
      if (forge.database.engine === 'postgres') await happened;
      await changeMembership(sql, organization, member.account, undefined);
    });
    await happened;
  }

  test('while it transfers a repository to the organization is no administrator of it', async () => {
    const { organization, member } = await withMember();
    const name = await forge.repository(member);
    let status = 0;
    await endWhile({ organization, member }, async () => {
      const body = { new_owner: organization.login };
      ({ status } = await member.post(`/repos/${name}/transfer`, body));
    });
    const path = `/repos/${organization.login}/${name.split('/')[1]}/collaborators/${member.login}`;
    const isCollaborator = await owner.get(path);
    // Either the transfer came first, and the end of the membership took the grant away, or it was refused.
    assert.equal(status, forge.database.engine === 'postgres' ? 202 : 403);
    assert.equal(isCollaborator.status, 404, isCollaborator.text);
  });

  test('while another transfers a repository to the organization does not see it any more', async () => {
    const { organization, member } = await withMember();
    const name = await forge.repository(owner, { private: true });
    const path = `/repos/${organization.login}/${name.split('/')[1]}`;
    let seen = 0;
    await endWhile({ organization, member }, async () => {
      await owner.post(`/repos/${name}/transfer`, { new_owner: organization.login });
      seen = (await member.get(path)).status;
    });
    assert.equal(seen, forge.database.engine === 'postgres' ? 200 : 404);
    assert.equal((await member.get(path)).status, 404);
  });

  test('is not told which names of the organization are taken', async () => {
    const { organization, member } = await withMember();
    const name = `/orgs/${organization.login}/repos`;
    assert.equal((await owner.post(name, { name: 'taken', private: true })).status, 201);
    const ended = await owner.delete(`/orgs/${organization.login}/members/${member.login}`);
    assert.equal(ended.status, 204, ended.text);
    const creation = createRepository(forge.ports, {
      owner: organization,
      creator: member.account,
      name: 'taken',
      description: null,
      homepage: null,
      private: false,
      defaultBranch: branchName('main'),
      settings: {},
      firstCommit: undefined,
      now: forge.clock.now(),
    });
    await assert.rejects(
      creation,
      (error) => error instanceof RefusalError && error.refusal.kind === 'forbidden',
    );
  });

  test('while git copies its fork for the organization is no administrator of it', async () => {
    const { organization, member } = await withMember();
    const source = await forge.repository(owner, { init: true });
    const ports = {
      ...forge.ports,
      git: {
        ...forge.git,
        async fork(...copy: Parameters<typeof forge.git.fork>) {
          await endWhile({ organization, member }, async () => {});
          return forge.git.fork(...copy);
        },
      },
    };
    const found = await forge.database.read(async (sql) =>
      repositoriesById(sql, [await repositoryId(forge, source)]),
    );
    const [repository] = found.values();
    assert.ok(repository);
    const now = forge.clock.now();
    const input = { source: repository, owner: organization, creator: member.account, now };
    const fork = await forkRepository(ports, input);
    const path = `/repos/${fullName(fork)}/collaborators/${member.login}`;
    const isCollaborator = await owner.get(path);
    assert.equal(isCollaborator.status, 404, isCollaborator.text);
  });
});
