import type { Sql } from '#platform/database/database.ts';

import { accountsById } from '../accounts/account-store.ts';
import type { Json } from '../json/json-values.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Urls } from '../json/urls.ts';
import { teamsById } from '../teams/team-store.ts';
import type { BranchRules } from './protection-rules.ts';
import { requiredRules } from './read-protection.ts';
import { representRules, type ProtectionRelations } from './protection-json.ts';

/** The representation of a branch's rules with the accounts it embeds; refuses where there are none. */
export async function describeRules(
  sql: Sql,
  repository: Repository,
  branch: string,
  urls: Urls,
): Promise<Json> {
  const rules = await requiredRules(sql, repository, branch);
  return representRules(rules, await loadProtectionRelations(sql, repository, rules), urls);
}

/** What the representation of rules embeds of other resources. */
export async function loadProtectionRelations(
  sql: Sql,
  repository: Repository,
  { pushers }: BranchRules,
): Promise<ProtectionRelations> {
  return {
    repositoryName: fullName(repository),
    users: [...(await accountsById(sql, pushers?.users ?? [])).values()],
    teams: await teamsById(sql, pushers?.teams ?? []),
  };
}
