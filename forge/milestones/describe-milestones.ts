import type { Sql } from '#platform/database/database.ts';

import { accountsById } from '../accounts/account-store.ts';
import { notFound } from '../errors/api-error.ts';
import type { Json } from '../json/json-values.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Urls } from '../json/urls.ts';
import { representMilestone } from './milestone-json.ts';
import { findMilestone } from './milestone-store.ts';
import type { Milestone } from '../model/milestone.ts';

/** Representations of milestones with their creators, in one statement. */
export async function describeMilestones(
  sql: Sql,
  repository: Repository,
  milestones: readonly Milestone[],
  urls: Urls,
): Promise<Json[]> {
  const creators = await accountsById(
    sql,
    milestones.map((milestone) => milestone.creatorId),
  );
  const name = fullName(repository);
  return milestones.map((milestone) =>
    representMilestone(milestone, creators.get(milestone.creatorId), name, urls),
  );
}

/** The representation of the milestone with this number, or a refusal. */
export async function describeMilestone(
  sql: Sql,
  repository: Repository,
  number: number,
  urls: Urls,
): Promise<Json> {
  const milestone = await findMilestone(sql, repository.id, number);
  const [representation] = milestone
    ? await describeMilestones(sql, repository, [milestone], urls)
    : [];
  return representation ?? notFound();
}
