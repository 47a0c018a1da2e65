import { uniqueViolation } from '#platform/database/constraint-violation.ts';

import { refuseArchived } from './repository-access.ts';
import { type FieldError, invalid } from '../errors/api-error.ts';
import { branchRef, parseBranchName } from '../git/names.ts';
import type { Ports } from '../ports/ports.ts';
import { writeRepository, type RepositoryWrite } from '../events/invalidate.ts';
import { inDefaultBranchTurn } from './default-branch-turn.ts';
import { emitRepositoryEvents } from './emit-repository-events.ts';
import {
  closeCrossRepositoryPulls,
  hasForks,
  detachFromNetwork,
  reparentForks,
} from './fork-network-store.ts';
import { getRepository } from './get-repository.ts';
import { updateRepository } from './repository-store.ts';
import { type Repository, type RepositoryUpdate } from '../model/repository.ts';
import { nameTaken } from './repository-name.ts';
import { allowsSomeMerge, noMergeMethod } from './repository-input.ts';

/** Changes the settings of a repository, or refuses with the reason. An archived repository must be unarchived first. */
export async function editRepository(
  ports: Ports,
  repository: Repository,
  update: RepositoryUpdate,
  by: EditedBy,
): Promise<void> {
  if (update.defaultBranch === undefined) return edit(ports, repository, update, by);
  return inDefaultBranchTurn(ports, repository.id, () => edit(ports, repository, update, by));
}

interface EditedBy {
  readonly actorId: number;
  readonly now: number;
}

async function edit(
  ports: Ports,
  repository: Repository,
  update: RepositoryUpdate,
  { actorId, now }: EditedBy,
): Promise<void> {
  if (update.defaultBranch !== undefined && update.defaultBranch !== repository.defaultBranch) {
    await pointHead(ports, repository, update.defaultBranch);
  }
  try {
    await writeRepository(ports.database, repository.id, async (sql) => {
      const current = await getRepository(sql, repository.id);
      refuseUpdate(current, update);
      if (update.private !== undefined && update.private !== current.private) {
        await detachForks(sql, current, now);
      }
      await updateRepository(sql, current.id, update, now);
      await emitRepositoryEvents(sql, current, update, actorId, now);
    });
  } catch (error) {
    if (update.defaultBranch !== undefined) await restoreHead(ports, repository.id);
    if (!uniqueViolation(error)) throw error;
    invalid(nameTaken);
  }
}

/** Nothing was changed, so clones get the branch that the API shows. */
async function restoreHead(ports: Ports, repositoryId: number): Promise<void> {
  const { defaultBranch } = await ports.database.read((sql) => getRepository(sql, repositoryId));
  const branch = parseBranchName(defaultBranch);
  if (branch) await ports.git.repository(repositoryId).setHead(branch);
}

/** Sets HEAD before the row changes: the branch that a clone checks out must exist before the API shows it. */
async function pointHead(ports: Ports, repository: Repository, name: string): Promise<void> {
  if (repository.archived) return;
  const branch = parseBranchName(name);
  const git = ports.git.repository(repository.id);
  if (!branch || !(await git.readRef(branchRef(branch)))) {
    const empty = (await git.listRefs('refs/heads/')).length === 0;
    return invalid({
      resource: 'Repository',
      field: 'default_branch',
      code: 'invalid',
      message: empty
        ? 'Cannot update default branch for an empty repository. Please init the repository and push first.'
        : `The branch ${name} was not found. Please push that ref first or create it via the Git Data API.`,
    });
  }
  await git.setHead(branch);
}

function refuseUpdate(current: Repository, update: RepositoryUpdate): void {
  if (current.archived && update.archived !== false) refuseArchived();
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
