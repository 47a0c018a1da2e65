import type { Sql } from '#platform/database/database.ts';

import type { RepositoryAccess } from '../repositories/repository-access.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { Json } from '../json/json-values.ts';
import type { Ports } from '../ports/ports.ts';
import { type Repository } from '../model/repository.ts';
import { writeRepository } from '../events/invalidate.ts';
import type { BranchRules } from './protection-rules.ts';
import { loadProtectionRelations } from './describe-protection.ts';
import { requiredBranch, requiredRules } from './read-protection.ts';
import { protectionUrl, type ProtectionRelations } from './protection-json.ts';
import { putRules } from './protection-store.ts';

type RulesRequest = Pick<RequestContext, 'urls'> & {
  readonly path: { readonly branch: string };
};

/** What a part of the rules is represented from. */
export interface ProtectionContext extends ProtectionRelations {
  readonly rules: BranchRules;
  /** The address of the rules. */
  readonly url: string;
}

/** A part of a branch's rules, or 404 where the branch or its rules are absent. */
export async function describePart(
  { database, git }: Pick<Ports, 'database' | 'git'>,
  { repository }: Pick<RepositoryAccess, 'repository'>,
  request: RulesRequest,
  describe: (scene: ProtectionContext) => Json,
): Promise<Json> {
  const branch = await requiredBranch(git, repository, request.path.branch);
  return database.read(async (sql) => {
    const rules = await requiredRules(sql, repository, branch);
    return describe(await sceneOf(sql, repository, rules, request));
  });
}

/** Gives the branch the rules that `change` makes of those it has, and describes a part of them. */
export async function changePart(
  { database, git }: Pick<Ports, 'database' | 'git'>,
  { repository }: Pick<RepositoryAccess, 'repository'>,
  request: RulesRequest,
  change: (sql: Sql, rules: BranchRules) => BranchRules | Promise<BranchRules>,
  describe: (scene: ProtectionContext) => Json = () => null,
): Promise<Json> {
  const branch = await requiredBranch(git, repository, request.path.branch);
  return writeRepository(database, repository.id, async (sql) => {
    const changed = await change(sql, await requiredRules(sql, repository, branch));
    await putRules(sql, repository.id, changed);
    return describe(await sceneOf(sql, repository, changed, request));
  });
}

async function sceneOf(
  sql: Sql,
  repository: Repository,
  rules: BranchRules,
  { urls }: RulesRequest,
): Promise<ProtectionContext> {
  const surroundings = await loadProtectionRelations(sql, repository, rules);
  return { ...surroundings, rules, url: protectionUrl(rules, surroundings.repositoryName, urls) };
}
