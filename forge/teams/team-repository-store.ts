import type { Sql } from '#platform/database/database.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';

import type { RepositoryWrite } from '../events/invalidate.ts';
import type { GrantedPermission } from '../model/permission.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import type { Repository } from '../model/repository.ts';
import { teamColumns, teamFromRow, type TeamRow, teamTables } from './team-store.ts';
import type { Team } from '../model/team.ts';

/** A team with its permission in one repository. */
export interface TeamGrant {
  readonly team: Team;
  readonly permission: GrantedPermission;
}

/** The teams that have a permission in a repository. */
export async function teamsOfRepository(
  sql: Sql,
  repositoryId: number,
  page: PageBounds,
): Promise<{ grants: TeamGrant[]; total: number }> {
  const count = await sql.get<{ total: number }>(
    `select count(*) as total from team_repositories where repository_id = $1`,
    repositoryId,
  );
  const rows = await sql.all<TeamRow & { granted: GrantedPermission }>(
    `select ${teamColumns}, g.permission as granted from ${teamTables} join team_repositories g on g.team_id = t.id
     where g.repository_id = $1 order by t.id limit $2 offset $3`,
    repositoryId,
    page.size,
    page.offset,
  );
  const grants = rows.map((row) => ({ team: teamFromRow(row), permission: row.granted }));
  return { grants, total: count?.total ?? 0 };
}

/** A repository with a team's permission in it. */
export interface RepositoryGrant {
  readonly repository: Repository;
  readonly permission: GrantedPermission;
}

export async function repositoriesOfTeam(
  sql: Sql,
  teamId: number,
  page: PageBounds,
): Promise<{ grants: RepositoryGrant[]; total: number }> {
  const from = `team_repositories g join repositories r on r.id = g.repository_id
    where g.team_id = $1 and r.state = 'ready'`;
  const list = { columns: 'g.repository_id, g.permission', from, values: [teamId], order: 'r.id' };
  const { rows, total } = await selectPage<{
    repository_id: number;
    permission: GrantedPermission;
  }>(sql, list, page);
  const repositories = await repositoriesById(
    sql,
    rows.map((row) => row.repository_id),
  );
  const grants = rows.flatMap(({ repository_id: id, permission }) => {
    const repository = repositories.get(id);
    return repository ? [{ repository, permission }] : [];
  });
  return { grants, total };
}

export async function teamPermission(
  sql: Sql,
  teamId: number,
  repositoryId: number,
): Promise<GrantedPermission | undefined> {
  const row = await sql.get<{ permission: GrantedPermission }>(
    `select permission from team_repositories where team_id = $1 and repository_id = $2`,
    teamId,
    repositoryId,
  );
  return row?.permission;
}

export async function putTeamPermission(
  sql: RepositoryWrite,
  teamId: number,
  repositoryId: number,
  permission: GrantedPermission,
): Promise<void> {
  await sql.run(
    `insert into team_repositories (repository_id, team_id, permission) values ($1, $2, $3)
     on conflict (repository_id, team_id) do update set permission = excluded.permission`,
    repositoryId,
    teamId,
    permission,
  );
}

export async function removeTeamPermission(
  sql: RepositoryWrite,
  teamId: number,
  repositoryId: number,
): Promise<void> {
  await sql.run(
    `delete from team_repositories where team_id = $1 and repository_id = $2`,
    teamId,
    repositoryId,
  );
  await sql.run(
    `delete from team_review_requests where team_id = $1
       and pull_id in (select id from pulls where repository_id = $2 and open = 1)`,
    teamId,
    repositoryId,
  );
}
