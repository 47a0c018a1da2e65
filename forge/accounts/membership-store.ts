import type { Sql } from '#platform/database/database.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';

import type { OrganizationWrite } from '../events/invalidate.ts';
import { type AccountRow, accountColumns, accountFromRow, placeholders } from './account-store.ts';
import type { Account, OrganizationRole } from '../model/account.ts';

/** The organizations of a user that the viewer may see: memberships are visible to members of the organization only. */
export async function organizationsOf(
  sql: Sql,
  userId: number,
  viewerId: number,
  page: PageBounds,
): Promise<{ organizations: Account[]; total: number }> {
  const from = `organization_members m join accounts a on a.id = m.organization_id
    where m.user_id = $1 and exists (select 1 from organization_members v
      where v.organization_id = m.organization_id and v.user_id = $2)`;
  const list = { columns: accountColumns, from, values: [userId, viewerId], order: 'a.id' };
  const { rows, total } = await selectPage<AccountRow>(sql, list, page);
  return { organizations: rows.map(accountFromRow), total };
}

/** In the order of their accounts; of one role, if one is named. */
export async function listMembers(
  sql: Sql,
  organizationId: number,
  role: OrganizationRole | undefined,
  page: PageBounds,
): Promise<{ members: Account[]; total: number }> {
  const from = `organization_members m join accounts a on a.id = m.user_id
    where m.organization_id = $1 and m.role in ($2, $3)`;
  const values = [organizationId, role ?? 'admin', role ?? 'member'];
  const list = { columns: accountColumns, from, values, order: 'a.id' };
  const { rows, total } = await selectPage<AccountRow>(sql, list, page);
  return { members: rows.map(accountFromRow), total };
}

/** The roles of these users in an organization; without those who are not members. */
export async function memberRoles(
  sql: Sql,
  organizationId: number,
  userIds: readonly number[],
): Promise<Map<number, OrganizationRole>> {
  if (userIds.length === 0) return new Map();
  const rows = await sql.all<{ user_id: number; role: OrganizationRole }>(
    `select user_id, role from organization_members
     where user_id in (${placeholders(userIds.length)}) and organization_id = $${userIds.length + 1}`,
    ...userIds,
    organizationId,
  );
  return new Map(rows.map((row) => [row.user_id, row.role]));
}

/** The end of a membership revokes all grants in the organization's repositories, direct or by teams. */
export async function revokeGrants(
  sql: OrganizationWrite,
  organizationId: number,
  userId: number,
): Promise<void> {
  await sql.run(
    `delete from collaborators where account_id = $2
       and repository_id in (select id from repositories where owner_id = $1)`,
    organizationId,
    userId,
  );
  await sql.run(
    `delete from team_members where user_id = $2
       and team_id in (select id from teams where organization_id = $1)`,
    organizationId,
    userId,
  );
}
