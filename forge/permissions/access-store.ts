import type { Sql } from '#platform/database/database.ts';

import { placeholders } from '../accounts/account-store.ts';
import { caseless } from '../model/account.ts';
import type { OrganizationRole } from '../model/account.ts';
import { type GrantedPermission, type Permission, permissions } from '../model/permission.ts';

/** The data of a repository and an account that an access decision needs. */
export interface LocatedRepository {
  readonly id: number;
  readonly ownerId: number;
  readonly private: boolean;
  readonly archived: boolean;
  readonly networkId: number;
  readonly memberRole: OrganizationRole | null;
  readonly collaboratorPermission: GrantedPermission | null;
  /** The highest permission of the account's teams. */
  readonly teamPermission: Permission;
}

interface LocatedRow {
  id: number;
  owner_id: number;
  private: number;
  archived: number;
  network_id: number;
  member_role: OrganizationRole | null;
  collaborator_permission: GrantedPermission | null;
  team_level: number | null;
}

const located = `select r.id, r.owner_id, r.private, r.archived, r.network_id,
    (select role from organization_members m
      where m.organization_id = r.owner_id and m.user_id = $1) as member_role,
    (select permission from collaborators c
      where c.repository_id = r.id and c.account_id = $1) as collaborator_permission,
    (select max(g.level) from team_grants g
      where g.repository_id = r.id and g.account_id = $1) as team_level
  from repositories r`;

export async function locateById(
  sql: Sql,
  id: number,
  accountId: number,
): Promise<LocatedRepository | undefined> {
  const row = await sql.get<LocatedRow>(
    `${located} where r.id = $2 and r.state = 'ready'`,
    accountId,
    id,
  );
  return row && locatedFromRow(row);
}

export async function locateByName(
  sql: Sql,
  owner: string,
  name: string,
  accountId: number,
): Promise<LocatedRepository | undefined> {
  const row = await sql.get<LocatedRow>(
    `${located} join accounts o on o.id = r.owner_id
     where o.login_key = $2 and r.name_key = $3 and r.state = 'ready'`,
    accountId,
    caseless(owner),
    caseless(name),
  );
  return row && locatedFromRow(row);
}

/** Several by id, in one statement. */
export async function locateAll(
  sql: Sql,
  ids: Iterable<number>,
  accountId: number,
): Promise<LocatedRepository[]> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return [];
  const rows = await sql.all<LocatedRow>(
    `${located} where r.id in (${placeholders(unique.length, 2)}) and r.state = 'ready'`,
    accountId,
    ...unique,
  );
  return rows.map(locatedFromRow);
}

/** The id of the repository that had this name before. */
export async function locateRedirect(
  sql: Sql,
  owner: string,
  name: string,
): Promise<number | undefined> {
  const row = await sql.get<{ repository_id: number }>(
    `select d.repository_id from repository_redirects d join accounts o on o.id = d.owner_id
     where o.login_key = $1 and d.name_key = $2`,
    caseless(owner),
    caseless(name),
  );
  return row?.repository_id;
}

function locatedFromRow(row: LocatedRow): LocatedRepository {
  return {
    id: row.id,
    ownerId: row.owner_id,
    private: row.private === 1,
    archived: row.archived === 1,
    networkId: row.network_id,
    memberRole: row.member_role,
    collaboratorPermission: row.collaborator_permission,
    teamPermission: permissions[row.team_level ?? 0] ?? 'none',
  };
}
