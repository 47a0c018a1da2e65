import type { Sql } from '#platform/database/database.ts';

import { adminRefusal, type RepositoryPolicy } from '../repositories/repository-access.ts';
import { notFound } from '../errors/api-error.ts';
import type { Git } from '../git/git.ts';
import { branchRef, type BranchName, parseBranchName } from '../git/names.ts';
import type { Repository } from '../model/repository.ts';
import type { BranchRules } from './protection-rules.ts';
import { findRules } from './protection-store.ts';

/** The rules of a branch are for its administrators' eyes. */
export const maySeeRules: RepositoryPolicy = {
  permission: 'admin',
  changes: false,
  refusal: adminRefusal,
};

/** Rules are given to branches that are there. */
export async function requiredBranch(
  git: Git,
  repository: Repository,
  name: string,
): Promise<BranchName> {
  const branch = parseBranchName(name);
  const tip = branch && (await git.repository(repository.id).readRef(branchRef(branch)));
  return branch && tip ? branch : notFound('Branch not found');
}

export async function requiredRules(
  sql: Sql,
  repository: Repository,
  branch: string,
): Promise<BranchRules> {
  return (await findRules(sql, repository.id, branch)) ?? notFound('Branch not protected');
}
