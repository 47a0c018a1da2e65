import type { Sql } from '#platform/database/database.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';

import type { OrganizationWrite } from '../events/invalidate.ts';
import { type AccountRow, accountColumns, accountFromRow } from '../accounts/account-store.ts';
import type { Account } from '../model/account.ts';
import type { TeamRole } from '../model/team.ts';

/** Members ordered by account id, optionally of one role. */
export async function listTeamMembers(
  sql: Sql,
  teamId: number,
  role: TeamRole | undefined,
  page: PageBounds,
): Promise<{ members: Account[]; total: number }> {
  const from = `team_members m join accounts a on a.id = m.user_id
    where m.team_id = $1 and m.role in ($2, $3)`;
  const values = [teamId, role ?? 'member', role ?? 'maintainer'];
  const list = { columns: accountColumns, from, values, order: 'a.id' };
  const { rows, total } = await selectPage<AccountRow>(sql, list, page);
  return { members: rows.map(accountFromRow), total };
}

export async function teamRole(
  sql: Sql,
  teamId: number,
  userId: number,
): Promise<TeamRole | undefined> {
  const row = await sql.get<{ role: TeamRole }>(
    `select role from team_members where team_id = $1 and user_id = $2`,
    teamId,
    userId,
  );
  return row?.role;
}

export async function putTeamMember(
  sql: OrganizationWrite,
  teamId: number,
  userId: number,
  role: TeamRole,
): Promise<void> {
  await sql.run(
    `insert into team_members (team_id, user_id, role) values ($1, $2, $3)
     on conflict (team_id, user_id) do update set role = excluded.role`,
    teamId,
    userId,
    role,
  );
}

/** Returns false if the user was not a member. */
export async function removeTeamMember(
  sql: OrganizationWrite,
  teamId: number,
  userId: number,
): Promise<boolean> {
  const removed = await sql.run(
    `delete from team_members where team_id = $1 and user_id = $2`,
    teamId,
    userId,
  );
  return removed > 0;
}

export async function teamIdsOf(sql: Sql, userId: number): Promise<number[]> {
  const rows = await sql.all<{ team_id: number }>(
    `select team_id from team_members where user_id = $1`,
    userId,
  );
  return rows.map((row) => row.team_id);
}
