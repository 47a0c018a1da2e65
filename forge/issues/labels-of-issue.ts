import type { Sql } from '#platform/database.ts';

import { notFound } from '../conventions/refusal.ts';
import type { Json } from '../conventions/json-values.ts';
import { representLabel } from '../labels/label-representation.ts';
import { labelsOfIssues } from '../labels/label-store.ts';
import { fullName, type Repository } from '../repositories/repository.ts';
import type { Urls } from '../urls.ts';
import { findIssue } from './issue-store.ts';

/** Representations of all labels of the issue of this number. */
export async function labelsOfIssue(
  sql: Sql,
  repository: Repository,
  number: number,
  urls: Urls,
): Promise<Json[]> {
  const issue = (await findIssue(sql, repository.id, number)) ?? notFound();
  const labels = (await labelsOfIssues(sql, [issue.id])).get(issue.id) ?? [];
  return labels.map((label) => representLabel(label, fullName(repository), urls));
}
