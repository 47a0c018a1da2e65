import type { Sql } from '#platform/database/database.ts';

import type { RepositoryWrite } from '../events/invalidate.ts';
import { placeholders } from '../accounts/account-store.ts';
import { teamColumns, teamFromRow, type TeamRow, teamTables } from './team-store.ts';
import type { Team } from '../model/team.ts';

/** The requested teams of each pull, by the id of the pull. */
export async function requestedTeams(
  sql: Sql,
  pullIds: readonly number[],
): Promise<Map<number, Team[]>> {
  if (pullIds.length === 0) return new Map();
  const rows = await sql.all<TeamRow & { pull_id: number }>(
    `select q.pull_id, ${teamColumns} from ${teamTables} join team_review_requests q on q.team_id = t.id
     where q.pull_id in (${placeholders(pullIds.length)}) order by t.id`,
    ...pullIds,
  );
  const teams = new Map<number, Team[]>();
  for (const row of rows) {
    teams.set(row.pull_id, [...(teams.get(row.pull_id) ?? []), teamFromRow(row)]);
  }
  return teams;
}

/** Returns false if the review was already requested. */
export async function requestTeamReview(
  sql: RepositoryWrite,
  pullId: number,
  teamId: number,
): Promise<boolean> {
  const requested = await sql.run(
    `insert into team_review_requests (pull_id, team_id) values ($1, $2) on conflict do nothing`,
    pullId,
    teamId,
  );
  return requested > 0;
}

/** Returns false if the review was not requested. */
export async function dropTeamRequest(
  sql: RepositoryWrite,
  pullId: number,
  teamId: number,
): Promise<boolean> {
  const dropped = await sql.run(
    `delete from team_review_requests where pull_id = $1 and team_id = $2`,
    pullId,
    teamId,
  );
  return dropped > 0;
}

/** A review by one of its members fulfils the request to a team. */
export async function dropRequestsOfTeamsOf(
  sql: RepositoryWrite,
  pullId: number,
  accountId: number,
): Promise<void> {
  await sql.run(
    `delete from team_review_requests where pull_id = $1
       and team_id in (select team_id from team_members where user_id = $2)`,
    pullId,
    accountId,
  );
}
