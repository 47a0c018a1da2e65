import { GitError } from '../git/git-error.ts';
import { branchRef, type ObjectId, parseBranchName } from '../git/names.ts';
import type { Git } from '../git/git.ts';
import type { Repository } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { findRepositories } from './repository-search-store.ts';
import { requireReachableScopes } from './search-conditions-store.ts';
import type { Criterion } from './search-query.ts';
import type { Searcher } from './searcher.ts';

/**
 * Repositories that a search for code or commits reads, the most recently pushed first; then the results are incomplete. Each
 * takes a process of git.
 */
export const searchedRepositoriesMax = 20;

/** Repositories whose code a search reads: those of the query, the most recently pushed first. */
export async function searchedRepositories(
  { database }: Pick<Ports, 'database'>,
  criterion: Criterion,
  searcher: Searcher,
): Promise<{ repositories: Repository[]; incomplete: boolean }> {
  const scope: Criterion = { kind: 'all', parts: scopesOf(criterion) };
  const found = await database.read(async (sql) => {
    await requireReachableScopes(sql, criterion, searcher);
    const bounds = { offset: 0, size: searchedRepositoriesMax };
    const order = { by: 'updated', descending: true } as const;
    return findRepositories(
      sql,
      { criterion: scope, searcher, needed: ['contents'] },
      order,
      bounds,
    );
  });
  return {
    repositories: found.repositories,
    incomplete: found.total > found.repositories.length,
  };
}

/** Qualifiers that name repositories; others are decided for each result. */
function scopesOf(criterion: Criterion): Criterion[] {
  const parts = criterion.kind === 'all' ? criterion.parts : [criterion];
  const names = ['repo', 'user', 'org', 'fork', 'is'];
  const isScope = (part: Criterion): boolean => {
    if (part.kind === 'qualifier') return names.includes(part.name);
    if (part.kind === 'not') return isScope(part.part);
    return part.kind === 'any' && part.parts.every(isScope);
  };
  return parts.filter(isScope);
}

/** The head of the default branch, or undefined of an empty or removed repository. */
export async function defaultBranchHead(
  git: Git,
  repository: Repository,
): Promise<ObjectId | undefined> {
  const branch = parseBranchName(repository.defaultBranch);
  if (!branch) return undefined;
  try {
    return await git.repository(repository.id).readRef(branchRef(branch));
  } catch (error) {
    if (error instanceof GitError && error.kind === 'missing-repository') return undefined;
    throw error;
  }
}
