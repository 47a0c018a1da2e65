import type { Sql } from '#platform/database/database.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';

import type { OrganizationWrite } from '../events/invalidate.ts';
import type { GrantedPermission } from '../model/permission.ts';
import { placeholders } from '../accounts/account-store.ts';
import { caseless } from '../model/account.ts';
import type { Team, TeamPrivacy } from '../model/team.ts';

export interface TeamRow {
  id: number;
  organization_id: number;
  organization_login: string;
  name: string;
  slug: string;
  description: string | null;
  privacy: TeamPrivacy;
  permission: GrantedPermission;
  members: number;
  repositories: number;
  created_at: number;
  updated_at: number;
}

/** The columns of a team, for statements that join `teamTables`. */
export const teamColumns = `t.id, t.organization_id, o.login as organization_login, t.name, t.slug, t.description,
  t.privacy, t.permission, t.created_at, t.updated_at,
  (select count(*) from team_members n where n.team_id = t.id) as members,
  (select count(*) from team_repositories n where n.team_id = t.id) as repositories`;

export const teamTables = 'teams t join accounts o on o.id = t.organization_id';

export async function findTeam(
  sql: Sql,
  organizationId: number,
  slug: string,
): Promise<Team | undefined> {
  const row = await sql.get<TeamRow>(
    `select ${teamColumns} from ${teamTables} where t.organization_id = $1 and t.slug = $2`,
    organizationId,
    caseless(slug),
  );
  return row && teamFromRow(row);
}

/** Teams by id, ordered by id. */
export async function teamsById(sql: Sql, ids: readonly number[]): Promise<Team[]> {
  if (ids.length === 0) return [];
  const rows = await sql.all<TeamRow>(
    `select ${teamColumns} from ${teamTables} where t.id in (${placeholders(ids.length)}) order by t.id`,
    ...ids,
  );
  return rows.map(teamFromRow);
}

/** The teams of an organization that the viewer may see. */
export async function listTeams(
  sql: Sql,
  organizationId: number,
  viewer: { readonly id: number; readonly seesSecret: boolean },
  page: PageBounds,
): Promise<{ teams: Team[]; total: number }> {
  const from = `${teamTables} where t.organization_id = $1 and ($2 = 1 or t.privacy = 'closed'
    or exists (select 1 from team_members m where m.team_id = t.id and m.user_id = $3))`;
  const values = [organizationId, Number(viewer.seesSecret), viewer.id] as const;
  return teamPage(sql, from, values, page);
}

export async function teamsOfUser(
  sql: Sql,
  userId: number,
  page: PageBounds,
): Promise<{ teams: Team[]; total: number }> {
  const from = `${teamTables}
    where exists (select 1 from team_members m where m.team_id = t.id and m.user_id = $1)`;
  return teamPage(sql, from, [userId], page);
}

async function teamPage(
  sql: Sql,
  from: string,
  values: readonly number[],
  page: PageBounds,
): Promise<{ teams: Team[]; total: number }> {
  const list = { columns: teamColumns, from, values, order: 't.id' };
  const { rows, total } = await selectPage<TeamRow>(sql, list, page);
  return { teams: rows.map(teamFromRow), total };
}

export type TeamDetails = Pick<Team, 'name' | 'slug' | 'description' | 'privacy' | 'permission'>;

/** Fails with a unique violation if the organization already has a team with this slug. */
export async function insertTeam(
  sql: OrganizationWrite,
  organizationId: number,
  team: TeamDetails,
  now: number,
): Promise<number> {
  const row = await sql.get<{ id: number }>(
    `insert into teams (organization_id, name, slug, description, privacy, permission, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7) returning id`,
    organizationId,
    team.name,
    team.slug,
    team.description,
    team.privacy,
    team.permission,
    now,
  );
  if (!row) throw new Error('insert into teams returned no row');
  return row.id;
}

export async function changeTeam(
  sql: OrganizationWrite,
  id: number,
  team: TeamDetails,
  now: number,
): Promise<void> {
  await sql.run(
    `update teams set name = $2, slug = $3, description = $4, privacy = $5, permission = $6, updated_at = $7
     where id = $1`,
    id,
    team.name,
    team.slug,
    team.description,
    team.privacy,
    team.permission,
    now,
  );
}

/** Deletes a team; its members lose the access that they have only through it. */
export async function deleteTeam(sql: OrganizationWrite, id: number): Promise<void> {
  await sql.run(`delete from teams where id = $1`, id);
}

export function teamFromRow(row: TeamRow): Team {
  return {
    id: row.id,
    organization: { id: row.organization_id, login: row.organization_login },
    name: row.name,
    slug: row.slug,
    description: row.description,
    privacy: row.privacy,
    permission: row.permission,
    members: row.members,
    repositories: row.repositories,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
