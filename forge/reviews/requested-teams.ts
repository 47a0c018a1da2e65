import type { Sql } from '#platform/database/database.ts';

import type { Repository } from '../model/repository.ts';
import { teamPermission } from '../teams/team-repository-store.ts';
import { findTeam } from '../teams/team-store.ts';
import { refuseOutsider, refuseTooMany, reviewersMax } from './requested-people.ts';

/** The teams, by slug, whose review may be asked for, or a refusal: those that have a permission in the repository. */
export async function requestableTeams(
  sql: Sql,
  repository: Repository,
  slugs: readonly string[],
): Promise<number[]> {
  if (slugs.length > reviewersMax) refuseTooMany('teams');
  const ids: number[] = [];
  for (const slug of slugs) {
    const team = await findTeam(sql, repository.owner.id, slug);
    if (!team || (await teamPermission(sql, team.id, repository.id)) === undefined) {
      return refuseOutsider(repository);
    }
    ids.push(team.id);
  }
  return ids;
}
