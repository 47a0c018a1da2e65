import type { Sql } from '#platform/database/database.ts';

import type { Caller } from '../../model/caller.ts';
import { atLeast } from '../../model/permission.ts';
import { permissionsIn } from '../../repositories/repository-access.ts';
import { accountsById } from '../../accounts/account-store.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { protectionOf } from './merge-obstacles.ts';
import type { MediaType } from '../../http/media-types.ts';
import type { Json } from '../../json/json-values.ts';
import { accountsIn, attributesOf } from '../../issues/issue-attributes.ts';
import { countNetworkForks } from '../../repositories/repository-list-store.ts';
import { repositoriesById } from '../../repositories/repository-store.ts';
import type { Repository } from '../../model/repository.ts';
import { requestedReviewers, requestedTeams } from '../../reviews/review-request-store.ts';
import { combinedCheckState } from '../../checks/check-state.ts';
import { associationsIn } from '../../repositories/association-store.ts';
import { type PullRelations, representPull } from '../pull-json.ts';
import type { Pull } from '../../model/pull.ts';

/** Everything that representations of these pulls embed, with a fixed number of SQL statements. */
export async function loadPullRelations(
  sql: Sql,
  repository: Repository,
  pulls: readonly Pull[],
  viewer: Caller,
): Promise<PullRelations> {
  const base = new Map([[repository.id, repository]]);
  return (await loadPullRelationsIn(sql, base, pulls, viewer))(repository);
}

/** Like `loadPullRelations`, for pulls of several repositories in as many statements. */
export async function loadPullRelationsIn(
  sql: Sql,
  bases: ReadonlyMap<number, Repository>,
  pulls: readonly Pull[],
  viewer: Caller,
): Promise<(repository: Repository) => PullRelations> {
  const attributes = await attributesOf(
    sql,
    pulls.map((pull) => pull.id),
  );
  const accountIds = pulls.flatMap((pull) => [
    pull.authorId,
    ...idsOf(pull.head.ownerId),
    ...idsOf(pull.merge?.byId),
    ...idsOf(pull.autoMerge?.byId),
  ]);
  const reviewerIds = await requestedReviewers(
    sql,
    pulls.map((pull) => pull.id),
  );
  const teams = await requestedTeams(
    sql,
    pulls.map((pull) => pull.id),
    viewer,
  );
  const repositoryIds = pulls.flatMap((pull) => idsOf(pull.head.repositoryId));
  const elsewhere = repositoryIds.filter((id) => !bases.has(id));
  const permissions = await permissionsIn(sql, viewer, [...bases.keys(), ...elsewhere]);
  // A fork is as private to its viewers in a pull as by itself.
  const readable = elsewhere.filter((id) => atLeast(permissions.get(id) ?? 'none', 'read'));
  const repositories = new Map([...(await repositoriesById(sql, readable)), ...bases]);
  const associations = await associationsIn(sql, pulls);
  const shared = {
    attributes,
    reviewerIds,
    teams,
    accounts: await accountsById(sql, [
      ...accountIds,
      ...accountsIn(attributes),
      ...[...reviewerIds.values()].flat(),
    ]),
    repositories,
    permissions,
    networkForks: await countNetworkForks(
      sql,
      [...repositories.values()].map(({ networkId }) => networkId),
    ),
  };
  return (repository) => ({
    ...shared,
    repository,
    associations: associations.get(repository.id) ?? new Map(),
  });
}

/** The detailed representation, with the current statuses and branch protection. */
export async function describePull(
  sql: Sql,
  repository: Repository,
  pull: Pull,
  {
    caller,
    media,
    urls,
  }: Pick<RequestContext, 'caller' | 'urls'> & {
    readonly media: Pick<MediaType, 'format'>;
  },
): Promise<Json> {
  const relations = await loadPullRelations(sql, repository, [pull], caller);
  const statuses = await combinedCheckState(sql, repository.id, pull.head.sha);
  const protection = await protectionOf(sql, repository.id, pull);
  return representPull(pull, relations, { statuses, protection }, media.format, urls);
}

function idsOf(id: number | null | undefined): number[] {
  return id === null || id === undefined ? [] : [id];
}
