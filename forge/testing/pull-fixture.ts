import assert from 'node:assert/strict';

import type { ObjectId } from '../git/names.ts';
import type { Ports } from '../ports/ports.ts';
import { mergePull } from '../pulls/operations/merge-pull.ts';
import { findPull } from '../pulls/pull-store.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import { commitFiles, type FileContents, repositoryId } from './commits.ts';
import type { TestResponse, TestForge, TestUser } from './test-forge.ts';

export interface OpenedPull {
  /** `owner/name` of the base repository. */
  readonly name: string;
  readonly number: number;
  readonly base: string;
  readonly head: string;
  /** `/repos/owner/name/pulls/N`. */
  readonly path: string;
  readonly response: TestResponse;
}

/** A repository with `main` and a `topic` branch that differs by the given files, and a pull from one to the other. */
export async function openPull(
  forge: TestForge,
  owner: TestUser,
  options: { files?: FileContents; body?: Record<string, unknown>; private?: boolean } = {},
): Promise<OpenedPull> {
  const name = await forge.repository(owner, { private: options.private ?? false });
  const base = await commitFiles(forge, name, 'main', { 'README.md': 'one\ntwo\nthree\n' });
  const head = await commitFiles(forge, name, 'topic', options.files ?? { 'new.txt': 'new\n' }, {
    parents: [base],
  });
  const response = await owner.post(`/repos/${name}/pulls`, {
    title: 'Add a file',
    head: 'topic',
    base: 'main',
    ...options.body,
  });
  assert.equal(response.status, 201, response.text);
  const { number } = response.body;
  return { name, number, base, head, path: `/repos/${name}/pulls/${number}`, response };
}

/** Merges pull 1 of the repository as the user, on ports in which something fails or happens meanwhile. */
export async function mergeFirstPull(
  forge: TestForge,
  user: TestUser,
  name: string,
  { ports, sha }: { ports: Ports; sha?: ObjectId | undefined },
): Promise<ObjectId> {
  const id = await repositoryId(forge, name);
  const [pull, repository] = await forge.database.read(
    async (sql) =>
      [await findPull(sql, id, 1), (await repositoriesById(sql, [id])).get(id)] as const,
  );
  assert.ok(pull && repository);
  return mergePull(ports, {
    pull,
    repository,
    caller: { kind: 'user', account: user.account, scopes: 'password' },
    method: 'merge',
    sha,
    input: { title: undefined, message: undefined },
    now: forge.clock.now(),
    offsetMinutes: 0,
  });
}

/** The pull once its test merge is done. */
export async function untilChecked(
  forge: TestForge,
  user: TestUser,
  path: string,
): Promise<TestResponse> {
  await user.get(path);
  await forge.ports.background.idle();
  return user.get(path);
}

/** A pull from the branch `topic` of the author's fork; the author becomes a reader of the base if it is private. */
export async function openForkPull(
  forge: TestForge,
  owner: TestUser,
  author: TestUser,
  options: { body?: Record<string, unknown>; organization?: string; private?: boolean } = {},
): Promise<OpenedPull & { readonly fork: string }> {
  const name = await forge.repository(owner, { init: true, private: options.private ?? false });
  if (options.private === true) await addCollaborator(owner, author, name, 'pull');
  const made = await author.post(`/repos/${name}/forks`, { organization: options.organization });
  assert.equal(made.status, 202, made.text);
  const fork = made.body.full_name;
  const base = (await owner.get(`/repos/${name}/commits/main`)).body.sha;
  const head = await commitFiles(forge, fork, 'topic', { 'new.txt': 'new\n' }, { parents: [base] });
  const response = await author.post(`/repos/${name}/pulls`, {
    title: 'From a fork',
    head: `${made.body.owner.login}:topic`,
    base: 'main',
    ...options.body,
  });
  assert.equal(response.status, 201, response.text);
  const { number } = response.body;
  return { name, fork, number, base, head, path: `/repos/${name}/pulls/${number}`, response };
}

export async function addCollaborator(
  owner: TestUser,
  user: TestUser,
  name: string,
  permission: string,
): Promise<void> {
  const invited = await owner.put(`/repos/${name}/collaborators/${user.login}`, { permission });
  assert.equal(invited.status, 201, invited.text);
  const accepted = await user.patch(`/user/repository_invitations/${invited.body.id}`);
  assert.equal(accepted.status, 204, accepted.text);
}
