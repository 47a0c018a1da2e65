import type { Sql } from '#platform/database/database.ts';

import { findAccount } from '../accounts/account-store.ts';
import { resolveBranchName } from '../branches/resolve-branch-name.ts';
import { invalid, RefusalError } from '../errors/api-error.ts';
import type { GitRepository } from '../git/git.ts';
import { branchRef, type BranchName, type ObjectId } from '../git/names.ts';
import type { Caller } from '../model/caller.ts';
import { atLeast } from '../model/permission.ts';
import type { Pull } from '../model/pull.ts';
import type { Repository } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { forkOwnedBy } from '../repositories/fork-store.ts';
import { unlessDeleted } from '../repositories/get-repository.ts';
import {
  authorizeRepository,
  issuePermissionIn,
  mayComment,
  permissionIn,
} from '../repositories/repository-access.ts';
import { repositoriesById, repositoryByName } from '../repositories/repository-store.ts';
import type { CreatePullInput } from './pull-input.ts';

export interface BaseTip {
  readonly ref: BranchName;
  readonly sha: ObjectId;
}

export interface HeadTip {
  readonly repository: Repository;
  readonly ref: BranchName;
  readonly sha: ObjectId;
  /** Whether the caller may push to the head repository. */
  readonly mayPush: boolean;
}

/** The base branch, by its name or full ref; undefined if it does not exist. */
export function baseTip(
  ports: Pick<Ports, 'git'>,
  repository: Repository,
  name: string,
): Promise<BaseTip | undefined> {
  return branchTip(ports.git.repository(repository.id), name);
}

/**
 * The head branch: `branch` in the same repository, `owner:branch` in the owner's repository of the same network. undefined
 * if it does not exist or the caller may not see it.
 */
export async function headTip(
  ports: Pick<Ports, 'git' | 'database'>,
  input: CreatePullInput,
): Promise<HeadTip | undefined> {
  const found = await ports.database.read(async (sql) => {
    const id = await headRepositoryId(sql, input);
    if (id === undefined) return undefined;
    const permission = await issuePermissionIn(sql, input.caller, id);
    const repository = (await repositoriesById(sql, [id])).get(id);
    return atLeast(permission, 'read') && repository ? { repository, permission } : undefined;
  });
  if (!found) return undefined;
  const { repository, permission } = found;
  const name = input.head.slice(input.head.indexOf(':') + 1);
  const tip = await unlessDeleted(
    ports.database,
    repository.id,
    () => branchTip(ports.git.repository(repository.id), name),
    () => undefined,
  );
  return tip && { repository, ...tip, mayPush: atLeast(permission, 'write') };
}

async function branchTip(git: GitRepository, name: string): Promise<BaseTip | undefined> {
  const ref = await resolveBranchName(git, name);
  const sha = ref && (await git.readRef(branchRef(ref)));
  return ref && sha ? { ref, sha } : undefined;
}

/** The repository of the head branch, without a check of access. */
export async function headRepositoryId(
  sql: Sql,
  input: CreatePullInput,
): Promise<number | undefined> {
  const { repository, headRepository } = input;
  const colon = input.head.indexOf(':');
  const owner = colon === -1 ? undefined : input.head.slice(0, colon);
  if (headRepository !== undefined) return findHeadRepositoryId(sql, input, headRepository);
  if (owner === undefined || owner.toLowerCase() === repository.owner.login.toLowerCase()) {
    return repository.id;
  }
  const account = await findAccount(sql, owner);
  return account && forkOwnedBy(sql, repository.networkId, account.id);
}

async function findHeadRepositoryId(
  sql: Sql,
  input: CreatePullInput,
  name: string,
): Promise<number | undefined> {
  const [owner, repo] = name.includes('/')
    ? [name.slice(0, name.indexOf('/')), name.slice(name.indexOf('/') + 1)]
    : [input.repository.owner.login, name];
  const account = await findAccount(sql, owner);
  const found = account && (await repositoryByName(sql, account.id, repo));
  return found?.networkId === input.repository.networkId ? found.id : undefined;
}

/**
 * The value to store when a caller asks that maintainers of the base may edit (`maintainer_can_modify`): only who may push to a fork lets others
 * into it, and only into the fork of a user; within one repository the setting has no meaning.
 */
export async function maintainerMayModify(
  sql: Sql,
  caller: Caller,
  baseId: number,
  headId: number | null,
): Promise<boolean> {
  const head = headId === null ? undefined : (await repositoriesById(sql, [headId])).get(headId);
  if (!head || head.id === baseId) return false;
  if (!atLeast(await permissionIn(sql, caller, head.id, true), 'write')) {
    return invalid({
      resource: 'PullRequest',
      code: 'custom',
      field: 'fork_collab',
      message: "Fork collab can't be granted by someone without permission",
    });
  }
  return head.owner.kind === 'user';
}

/**
 * Whether the caller may push to a pull's head: with write access to the head repository, or with write access to the base
 * repository if the author allows edits by maintainers.
 */
export async function mayPushToHead(sql: Sql, caller: Caller, pull: Pull): Promise<boolean> {
  const headId = pull.head.repositoryId;
  if (headId === null) return false;
  if (atLeast(await permissionIn(sql, caller, headId, true), 'write')) return true;
  return (
    pull.maintainerCanModify && (await mayPushAsMaintainer(sql, caller, pull.repositoryId, headId))
  );
}

/**
 * Whether the caller may push to the head of a pull that allows edits by maintainers: who may push to the base, may read the head, and has a
 * credential that may change something there. Only in the fork of a user: what the pull allows may be older than its fork's owner.
 */
export async function mayPushAsMaintainer(
  sql: Sql,
  caller: Caller,
  baseId: number,
  headId: number,
): Promise<boolean> {
  if (!atLeast(await permissionIn(sql, caller, baseId, true), 'write')) return false;
  const head = (await repositoriesById(sql, [headId])).get(headId);
  if (head?.owner.kind !== 'user') return false;
  try {
    await authorizeRepository(sql, caller, { id: headId }, { ...mayComment, evenArchived: true });
    return true;
  } catch (error) {
    if (error instanceof RefusalError) return false;
    throw error;
  }
}
