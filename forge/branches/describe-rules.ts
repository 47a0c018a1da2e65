import type { Sql } from '#platform/database.ts';

import { accountsById } from '../accounts/account-store.ts';
import type { Json } from '../conventions/json-values.ts';
import { fullName, type Repository } from '../repositories/repository.ts';
import type { Urls } from '../urls.ts';
import { teamsById } from '../teams/team-store.ts';
import type { BranchRules } from './branch-rules.ts';
import { requiredRules } from './read-rules.ts';
import { representRules, type RulesSurroundings } from './rules-representation.ts';

/** The representation of a branch's rules with the accounts it embeds; refuses where there are none. */
export async function describeRules(
  sql: Sql,
  repository: Repository,
  branch: string,
  urls: Urls,
): Promise<Json> {
  const rules = await requiredRules(sql, repository, branch);
  return representRules(rules, await surroundingsOfRules(sql, repository, rules), urls);
}

/** What the representation of rules embeds of other resources. */
export async function surroundingsOfRules(
  sql: Sql,
  repository: Repository,
  { pushers }: BranchRules,
): Promise<RulesSurroundings> {
  return {
    repositoryName: fullName(repository),
    users: [...(await accountsById(sql, pushers?.users ?? [])).values()],
    teams: await teamsById(sql, pushers?.teams ?? []),
  };
}
