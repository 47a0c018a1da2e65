import type { Sql } from '#platform/database/database.ts';

import { accountsById } from '../accounts/account-store.ts';
import { notFound } from '../errors/api-error.ts';
import type { Json } from '../json/json-values.ts';
import { countRepositoriesOf } from '../repositories/repository-list-store.ts';
import type { Urls } from '../json/urls.ts';
import { representFullTeam } from './team-json.ts';
import { findTeam } from './team-store.ts';
import type { Team } from '../model/team.ts';

/** Representations of teams with their organizations, in a fixed number of statements. */
export async function describeTeams(sql: Sql, teams: readonly Team[], urls: Urls): Promise<Json[]> {
  const ids = teams.map((team) => team.organization.id);
  const accounts = await accountsById(sql, ids);
  const counts = await countRepositoriesOf(sql, ids);
  return teams.flatMap((team) => {
    const account = accounts.get(team.organization.id);
    const known = counts.get(team.organization.id);
    const counted = known ?? { publicRepositories: 0, privateRepositories: 0 };
    return account ? [representFullTeam(team, { account, counts: counted }, urls)] : [];
  });
}

/** The current representation of the team with this slug. */
export async function describeTeam(
  sql: Sql,
  organizationId: number,
  slug: string,
  urls: Urls,
): Promise<Json> {
  const team = (await findTeam(sql, organizationId, slug)) ?? notFound();
  const [body] = await describeTeams(sql, [team], urls);
  return body ?? notFound();
}
