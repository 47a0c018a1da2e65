import type { Sql } from '#platform/database/database.ts';

import { placeholders } from '../../accounts/account-store.ts';
import type { Installation } from '../../model/app.ts';
import type { InstalledRepository } from '../../model/app-event.ts';

/** Repositories that an event of an installation lists. */
const listedMax = 500;

/** The repositories that an installation has access to, for its events. */
export async function installedRepositories(
  sql: Sql,
  { id, account, repositorySelection }: Installation,
): Promise<InstalledRepository[]> {
  const rows = await sql.all<{ id: number; name: string; private: number }>(
    `select r.id, r.name, r.private from repositories r
     where r.owner_id = $1 and r.state = 'ready' and ($2 = 'all' or exists
       (select 1 from app_installation_repositories s where s.installation_id = $3 and s.repository_id = r.id))
     order by r.id limit ${listedMax}`,
    account.id,
    repositorySelection,
    id,
  );
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    fullName: `${account.login}/${row.name}`,
    private: row.private === 1,
  }));
}

/** Names and ids of an account's repositories, of those that are asked for by name (in lower case) or id. */
export async function repositoriesOfAccount(
  sql: Sql,
  accountId: number,
  asked: { readonly names: readonly string[]; readonly ids: readonly number[] },
): Promise<{ id: number; nameKey: string }[]> {
  const { names, ids } = asked;
  if (names.length + ids.length === 0) return [];
  const rows = await sql.all<{ id: number; name_key: string }>(
    `select id, name_key from repositories where owner_id = $1 and state = 'ready'
       and (name_key in (${placeholders(names.length, 2) || 'null'})
         or id in (${placeholders(ids.length, 2 + names.length) || 'null'}))`,
    accountId,
    ...names,
    ...ids,
  );
  return rows.map((row) => ({ id: row.id, nameKey: row.name_key }));
}

/** The ids of the selected repositories that the account still has. */
export async function selectedRepositories(
  sql: Sql,
  installationId: number,
): Promise<ReadonlySet<number>> {
  const rows = await sql.all<{ repository_id: number }>(
    `select s.repository_id from app_installation_repositories s
       join app_installations i on i.id = s.installation_id
       join repositories r on r.id = s.repository_id and r.owner_id = i.account_id
     where s.installation_id = $1`,
    installationId,
  );
  return new Set(rows.map((row) => row.repository_id));
}
