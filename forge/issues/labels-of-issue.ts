import type { Sql } from '#platform/database/database.ts';

import { notFound } from '../errors/api-error.ts';
import type { Json } from '../json/json-values.ts';
import { representLabel } from '../labels/label-json.ts';
import { labelsOfIssues } from '../labels/label-store.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Urls } from '../json/urls.ts';
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
