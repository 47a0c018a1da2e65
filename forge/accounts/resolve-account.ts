import type { Sql } from '#platform/database/database.ts';

import { invalid } from '../errors/api-error.ts';
import { findAccount } from './account-store.ts';
import type { Account } from '../model/account.ts';

/** The user named in a field of the input, or a refusal that names the field. */
export function resolveUser(
  sql: Sql,
  login: string,
  resource: string,
  field: string,
): Promise<Account> {
  return named(sql, login, 'user', resource, field);
}

/** The organization named in a field of the input, or a refusal that names the field. */
export function resolveOrganization(
  sql: Sql,
  login: string,
  resource: string,
  field: string,
): Promise<Account> {
  return named(sql, login, 'organization', resource, field);
}

async function named(
  sql: Sql,
  login: string,
  kind: 'user' | 'organization',
  resource: string,
  field: string,
): Promise<Account> {
  const account = await findAccount(sql, login);
  if (account?.kind === kind) return account;
  const found = account ? `'${login}' is ${names[account.kind]}` : `'${login}' does not exist`;
  const wanted = names[kind];
  return invalid({
    resource,
    field,
    code: 'custom',
    message: `${found}: use the login of ${wanted}`,
  });
}

const names = {
  user: 'a user',
  organization: 'an organization',
  bot: 'the bot of an App',
} as const;
