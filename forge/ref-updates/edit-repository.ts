import { uniqueViolation } from '#platform/database/constraint-violation.ts';

import { isEmpty } from '../commits/resolve-revision.ts';
import { type FieldError, invalid } from '../errors/api-error.ts';
import { type RepositoryWrite, writeRepository } from '../events/invalidate.ts';
import { type BranchName, branchRef, parseBranchName } from '../git/names.ts';
import type { Repository, RepositoryUpdate } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { emitRepositoryEvents } from '../repositories/emit-repository-events.ts';
import {
  closeCrossRepositoryPulls,
  hasForks,
  detachFromNetwork,
  reparentForks,
} from '../repositories/fork-network-store.ts';
import { getRepository } from '../repositories/get-repository.ts';
import { refuseArchived } from '../repositories/repository-access.ts';
import { allowsSomeMerge, noMergeMethod } from '../repositories/repository-input.ts';
import { nameTaken } from '../repositories/repository-name.ts';
import { updateRepository } from '../repositories/repository-store.ts';
import { chooseDefaultBranch } from './default-branch.ts';

/** Changes the settings of a repository, or refuses with the reason. An archived repository must be unarchived first. */
export async function editRepository(
  ports: Ports,
  { id }: Repository,
  update: RepositoryUpdate,
  by: EditedBy,
): Promise<void> {
  const { defaultBranch } = update;
  const write = (sql: RepositoryWrite): Promise<void> => writeEdit(sql, id, update, by);
  try {
    if (defaultBranch === undefined) return await writeRepository(ports.database, id, write);
    const find = () => findChosen(ports, id, { ...update, defaultBranch });
    return await chooseDefaultBranch(ports, id, { find, write });
  } catch (error) {
    if (!uniqueViolation(error)) throw error;
    return invalid(nameTaken);
  }
}

interface EditedBy {
  readonly actorId: number;
  readonly now: number;
}

async function writeEdit(
  sql: RepositoryWrite,
  id: number,
  update: RepositoryUpdate,
  { actorId, now }: EditedBy,
): Promise<void> {
  const current = await getRepository(sql, id);
  refuseUpdate(current, update);
  if (update.private !== undefined && update.private !== current.private) {
    await detachForks(sql, current, now);
  }
  await updateRepository(sql, id, update, now);
  await emitRepositoryEvents(sql, current, update, actorId, now);
}

/** The branch that becomes the default one; undefined: it is that already, or the update is refused. */
async function findChosen(
  { database, git }: Ports,
  id: number,
  update: RepositoryUpdate & { readonly defaultBranch: string },
): Promise<BranchName | undefined> {
  const current = await database.read((sql) => getRepository(sql, id));
  const name = update.defaultBranch;
  if (name === current.defaultBranch || isLocked(current, update)) return undefined;
  const branch = parseBranchName(name);
  const repository = git.repository(id);
  if (branch && (await repository.readRef(branchRef(branch)))) return branch;
  return invalid({
    resource: 'Repository',
    field: 'default_branch',
    code: 'invalid',
    message: (await isEmpty(repository, current))
      ? 'Cannot update default branch for an empty repository. Please init the repository and push first.'
      : `The branch ${name} was not found. Please push that ref first or create it via the Git Data API.`,
  });
}

function isLocked(current: Repository, update: RepositoryUpdate): boolean {
  return current.archived && update.archived !== false;
}

function refuseUpdate(current: Repository, update: RepositoryUpdate): void {
  if (isLocked(current, update)) refuseArchived();
  const problems: FieldError[] = [];
  const merged = { ...current, ...update };
  if (!allowsSomeMerge(merged)) problems.push(noMergeMethod);
  if (merged.private !== current.private && current.parentId !== null) {
    problems.push({
      resource: 'Repository',
      field: 'visibility',
      code: 'custom',
      message: 'The visibility of a fork cannot be changed: it follows its fork network.',
    });
  }
  if (problems.length > 0) invalid(...problems);
}

/**
 * A network is either entirely public or entirely private, so that no response about one repository reveals another that the
 * caller may not see. A root whose visibility changes is therefore detached from its forks.
 */
async function detachForks(
  sql: RepositoryWrite,
  repository: Repository,
  now: number,
): Promise<void> {
  if (!(await hasForks(sql, repository))) return;
  await reparentForks(sql, repository);
  await closeCrossRepositoryPulls(sql, repository.id, 'both', now);
  await detachFromNetwork(sql, repository);
}
