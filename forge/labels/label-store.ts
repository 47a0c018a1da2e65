import type { Sql } from '#platform/database/database.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';

import type { RepositoryWrite } from '../events/invalidate.ts';
import { placeholders } from '../accounts/account-store.ts';
import { caseless } from '../model/account.ts';
import type { Label } from '../model/label.ts';

const columns = 'l.id, l.name, l.color, l.description';

export interface LabelPage {
  readonly labels: readonly Label[];
  readonly total: number;
}

/** The labels of a repository, in the order of their names. */
export async function listLabels(
  sql: Sql,
  repositoryId: number,
  page: PageBounds,
): Promise<LabelPage> {
  const from = 'labels l where l.repository_id = $1';
  return labelPage(sql, from, repositoryId, page);
}

/** A label by its id, with the repository that it belongs to. */
export async function findLabelById(
  sql: Sql,
  id: number,
): Promise<{ label: Label; repositoryId: number } | undefined> {
  const row = await sql.get<Label & { repository_id: number }>(
    `select ${columns}, l.repository_id from labels l where l.id = $1`,
    id,
  );
  if (!row) return undefined;
  const { repository_id: repositoryId, ...label } = row;
  return { label, repositoryId };
}

export async function findLabel(
  sql: Sql,
  repositoryId: number,
  name: string,
): Promise<Label | undefined> {
  return sql.get<Label>(
    `select ${columns} from labels l where l.repository_id = $1 and l.name_key = $2`,
    repositoryId,
    caseless(name),
  );
}

/** Labels of several repositories by their names, in one statement. */
export async function labelsByName(
  sql: Sql,
  wanted: readonly { readonly repositoryId: number; readonly name: string }[],
): Promise<{ readonly repositoryId: number; readonly label: Label }[]> {
  const repositoryIds = [...new Set(wanted.map(({ repositoryId }) => repositoryId))];
  const names = [...new Set(wanted.map(({ name }) => caseless(name)))];
  const rows = await sql.all<Label & { repository_id: number }>(
    `select ${columns}, l.repository_id from labels l
     where l.repository_id in (${placeholders(repositoryIds.length)})
       and l.name_key in (${placeholders(names.length, repositoryIds.length + 1)})`,
    ...repositoryIds,
    ...names,
  );
  return rows.map(({ repository_id: repositoryId, ...label }) => ({ repositoryId, label }));
}

/** Fails with a unique violation when the name is taken. */
export async function insertLabel(
  sql: RepositoryWrite,
  repositoryId: number,
  label: Omit<Label, 'id'>,
): Promise<Label> {
  const row = await sql.get<{ id: number }>(
    `insert into labels (repository_id, name, name_key, color, description)
     values ($1, $2, $3, $4, $5) returning id`,
    repositoryId,
    label.name,
    caseless(label.name),
    label.color.toLowerCase(),
    label.description,
  );
  if (!row) throw new Error('insert into labels returned no row');
  return { ...label, id: row.id, color: label.color.toLowerCase() };
}

/** The label with this name, created with the colour if missing; concurrent requests get the same label. */
export async function labelNamed(
  sql: RepositoryWrite,
  repositoryId: number,
  name: string,
  color: string,
): Promise<{ label: Label; created: boolean }> {
  const inserted = await sql.run(
    `insert into labels (repository_id, name, name_key, color) values ($1, $2, $3, $4)
     on conflict do nothing`,
    repositoryId,
    name,
    caseless(name),
    color,
  );
  const label = await findLabel(sql, repositoryId, name);
  if (!label) throw new Error(`label ${name} is neither new nor known`);
  return { label, created: inserted > 0 };
}

/** Fails with a unique violation when the name is taken. */
export async function updateLabel(sql: RepositoryWrite, label: Label): Promise<void> {
  await sql.run(
    `update labels set name = $2, name_key = $3, color = $4, description = $5 where id = $1`,
    label.id,
    label.name,
    caseless(label.name),
    label.color.toLowerCase(),
    label.description,
  );
}

export async function deleteLabel(sql: RepositoryWrite, labelId: number): Promise<void> {
  await sql.run(`delete from labels where id = $1`, labelId);
}

/** The labels of each issue, ordered by name, in one statement. */
export async function labelsOfIssues(
  sql: Sql,
  issueIds: readonly number[],
): Promise<Map<number, Label[]>> {
  if (issueIds.length === 0) return new Map();
  const rows = await sql.all<Label & { issue_id: number }>(
    `select ${columns}, i.issue_id from issue_labels i join labels l on l.id = i.label_id
     where i.issue_id in (${placeholders(issueIds.length)}) order by l.name_key`,
    ...issueIds,
  );
  const labels = new Map<number, Label[]>();
  for (const { issue_id: issueId, ...label } of rows) {
    labels.set(issueId, [...(labels.get(issueId) ?? []), label]);
  }
  return labels;
}

/** Those of all issues in a milestone, each once. */
export async function labelsOfMilestone(
  sql: Sql,
  milestoneId: number,
  page: PageBounds,
): Promise<LabelPage> {
  const from = `labels l where l.id in (select x.label_id from issue_labels x
    join issues i on i.id = x.issue_id where i.milestone_id = $1)`;
  return labelPage(sql, from, milestoneId, page);
}

async function labelPage(
  sql: Sql,
  from: string,
  value: number,
  page: PageBounds,
): Promise<LabelPage> {
  const list = { columns, from, values: [value], order: 'l.name_key' };
  const { rows, total } = await selectPage<Label>(sql, list, page);
  return { labels: rows, total };
}

/** Returns false if the issue already had the label. */
export async function attachLabel(
  sql: RepositoryWrite,
  issueId: number,
  labelId: number,
): Promise<boolean> {
  const attached = await sql.run(
    `insert into issue_labels (issue_id, label_id) values ($1, $2) on conflict do nothing`,
    issueId,
    labelId,
  );
  return attached > 0;
}

/** Returns false if the issue did not have the label. */
export async function detachLabel(
  sql: RepositoryWrite,
  issueId: number,
  labelId: number,
): Promise<boolean> {
  const detached = await sql.run(
    `delete from issue_labels where issue_id = $1 and label_id = $2`,
    issueId,
    labelId,
  );
  return detached > 0;
}
