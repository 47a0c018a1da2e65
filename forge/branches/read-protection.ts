import type { Sql } from '#platform/database/database.ts';

import { accountsById } from '../accounts/account-store.ts';
import { notFound } from '../errors/api-error.ts';
import type { Git } from '../git/git.ts';
import { branchRef, type BranchName, parseBranchName } from '../git/names.ts';
import type { Json } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';
import { type Repository, fullName } from '../model/repository.ts';
import { adminRefusal, type RepositoryPolicy } from '../repositories/repository-access.ts';
import { teamsById } from '../teams/team-store.ts';
import { representRules, type ProtectionRelations } from './protection-json.ts';
import type { BranchProtection } from './protection-rules.ts';
import { findRules } from './protection-store.ts';

/** The rules of a branch are for its administrators' eyes. */
export const maySeeRules: RepositoryPolicy = {
  permission: 'admin',
  changes: false,
  refusal: adminRefusal,
};

/** Rules are given to branches that are there. */
export async function getBranch(
  git: Git,
  repository: Repository,
  name: string,
): Promise<BranchName> {
  const branch = parseBranchName(name);
  const tip = branch && (await git.repository(repository.id).readRef(branchRef(branch)));
  return branch && tip ? branch : notFound('Branch not found');
}

export async function getBranchRules(
  sql: Sql,
  repository: Repository,
  branch: string,
): Promise<BranchProtection> {
  return (await findRules(sql, repository.id, branch)) ?? notFound('Branch not protected');
}

/** The representation of a branch's rules with the accounts it embeds; refuses where there are none. */
export async function describeRules(
  sql: Sql,
  repository: Repository,
  branch: string,
  urls: Urls,
): Promise<Json> {
  const rules = await getBranchRules(sql, repository, branch);
  return representRules(rules, await loadProtectionRelations(sql, repository, rules), urls);
}

/** What the representation of rules embeds of other resources. */
export async function loadProtectionRelations(
  sql: Sql,
  repository: Repository,
  { pushers }: BranchProtection,
): Promise<ProtectionRelations> {
  return {
    repositoryName: fullName(repository),
    users: [...(await accountsById(sql, pushers?.users ?? [])).values()],
    teams: await teamsById(sql, pushers?.teams ?? []),
  };
}
