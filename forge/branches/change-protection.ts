import type { Sql } from '#platform/database/database.ts';

import { notFound } from '../errors/api-error.ts';
import { writeRepository } from '../events/invalidate.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { Json } from '../json/json-values.ts';
import type { Repository } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import type { RepositoryAccess } from '../repositories/repository-access.ts';
import { protectionUrl, type ProtectionRelations } from './protection-json.ts';
import type { BranchProtection, Pushers, ReviewRules, StatusChecks } from './protection-rules.ts';
import { putRules } from './protection-store.ts';
import { loadProtectionRelations, getBranch, getBranchRules } from './read-protection.ts';

type RulesRequest = Pick<RequestContext, 'urls'> & {
  readonly path: { readonly branch: string };
};

/** What a part of the rules is represented from. */
export interface ProtectionContext extends ProtectionRelations {
  readonly rules: BranchProtection;
  /** The URL of the rules. */
  readonly url: string;
}

/** A part of a branch's rules, or 404 where the branch or its rules are absent. */
export async function describePart(
  { database, git }: Pick<Ports, 'database' | 'git'>,
  { repository }: Pick<RepositoryAccess, 'repository'>,
  request: RulesRequest,
  describe: (context: ProtectionContext) => Json,
): Promise<Json> {
  const branch = await getBranch(git, repository, request.path.branch);
  return database.read(async (sql) => {
    const rules = await getBranchRules(sql, repository, branch);
    return describe(await loadProtectionContext(sql, repository, rules, request));
  });
}

/** Gives the branch the rules that `change` makes of those it has, and describes a part of them. */
export async function changePart(
  { database, git }: Pick<Ports, 'database' | 'git'>,
  { repository }: Pick<RepositoryAccess, 'repository'>,
  request: RulesRequest,
  change: (sql: Sql, rules: BranchProtection) => BranchProtection | Promise<BranchProtection>,
  describe: (context: ProtectionContext) => Json = () => null,
): Promise<Json> {
  const branch = await getBranch(git, repository, request.path.branch);
  return writeRepository(database, repository.id, async (sql) => {
    const changed = await change(sql, await getBranchRules(sql, repository, branch));
    await putRules(sql, repository.id, changed);
    return describe(await loadProtectionContext(sql, repository, changed, request));
  });
}

async function loadProtectionContext(
  sql: Sql,
  repository: Repository,
  rules: BranchProtection,
  { urls }: RulesRequest,
): Promise<ProtectionContext> {
  const relations = await loadProtectionRelations(sql, repository, rules);
  return { ...relations, rules, url: protectionUrl(rules, relations.repositoryName, urls) };
}

/** The required status checks, or 404 with GitHub's message if there are none. */
export function getStatusChecks({ statusChecks }: BranchProtection): StatusChecks {
  return statusChecks ?? notFound('Required status checks not enabled');
}

export function getReviewRules({ reviews }: BranchProtection): ReviewRules {
  return reviews ?? notFound('Required pull request reviews not enabled');
}

export function getPushers({ pushers }: BranchProtection): Pushers {
  return pushers ?? notFound('Push restrictions not enabled');
}

export type ListChange = 'add' | 'set' | 'remove';

/** A list after items were added, set or removed, without duplicates. */
export function changedList<Item>(
  before: readonly Item[],
  change: ListChange,
  items: readonly Item[],
): Item[] {
  switch (change) {
    case 'add':
      return [...new Set([...before, ...items])];
    case 'set':
      return [...new Set(items)];
    case 'remove':
      return before.filter((item) => !items.includes(item));
  }
}
