import type { Sql } from '#platform/database.ts';

import { accountsById } from '../accounts/account-store.ts';
import type { Json } from '../conventions/json-values.ts';
import { fullName, type Repository } from '../repositories/repository.ts';
import type { Urls } from '../urls.ts';
import { requiredRules } from './read-rules.ts';
import { representRules } from './rules-representation.ts';

/** The representation of a branch's rules with the accounts it embeds; refuses where there are none. */
export async function describeRules(
  sql: Sql,
  repository: Repository,
  branch: string,
  urls: Urls,
): Promise<Json> {
  const rules = await requiredRules(sql, repository, branch);
  const pushers = [...(await accountsById(sql, rules.pusherIds ?? [])).values()];
  return representRules(rules, { repositoryName: fullName(repository), pushers }, urls);
}
