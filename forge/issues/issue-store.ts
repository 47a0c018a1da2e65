import type { Sql } from '#platform/database/database.ts';
import { type KeysetBounds, selectSlices, type Slice } from '#platform/database/keyset-store.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';

import { placeholders } from '../accounts/account-store.ts';
import { caseless } from '../model/account.ts';
import type { IssueFilter } from './issue-filter.ts';
import type { Issue, StateReason } from '../model/issue.ts';

interface IssueRow {
  id: number;
  repository_id: number;
  number: number;
  is_pull: number;
  merged_at: number | null;
  author_id: number;
  title: string;
  body: string | null;
  state: 'open' | 'closed';
  state_reason: StateReason | null;
  pinned_at: number | null;
  locked: number;
  lock_reason: string | null;
  comments: number;
  milestone_id: number | null;
  created_at: number;
  updated_at: number;
  closed_at: number | null;
  closed_by_id: number | null;
}

const columns = `i.id, i.repository_id, i.number, i.is_pull, p.merged_at, i.author_id, i.title, i.body, i.state,
  i.state_reason, i.pinned_at, i.locked, i.lock_reason, i.comments, i.milestone_id, i.created_at, i.updated_at, i.closed_at, i.closed_by_id`;

const tables = 'issues i left join pulls p on p.id = i.id';

export async function findIssue(
  sql: Sql,
  repositoryId: number,
  number: number,
): Promise<Issue | undefined> {
  const row = await sql.get<IssueRow>(
    `select ${columns} from ${tables} where i.repository_id = $1 and i.number = $2`,
    repositoryId,
    number,
  );
  return row && issueFromRow(row);
}

/** Several issues by id, in one statement. */
export async function issuesById(sql: Sql, ids: Iterable<number>): Promise<Map<number, Issue>> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return new Map();
  const rows = await sql.all<IssueRow>(
    `select ${columns} from ${tables} where i.id in (${placeholders(unique.length)})`,
    ...unique,
  );
  return new Map(rows.map((row) => [row.id, issueFromRow(row)]));
}

/** Issues of a repository by their numbers, in one statement. */
export async function issuesByNumber(
  sql: Sql,
  repositoryId: number,
  numbers: readonly number[],
): Promise<Issue[]> {
  if (numbers.length === 0) return [];
  const rows = await sql.all<IssueRow>(
    `select ${columns} from ${tables}
     where i.repository_id = $1 and i.number in (${placeholders(numbers.length, 2)}) order by i.number`,
    repositoryId,
    ...numbers,
  );
  return rows.map(issueFromRow);
}

const sortColumns: Readonly<Record<IssueFilter['sort'], string>> = {
  created: 'i.number',
  updated: 'i.updated_at',
  comments: 'i.comments',
};

/** One page of the issues that match the filter, and their total number. */
export async function listIssues(
  sql: Sql,
  repositoryId: number,
  filter: IssueFilter,
  page: PageBounds,
): Promise<{ issues: Issue[]; total: number }> {
  const { conditions, values } = conditionsOf(repositoryId, filter);
  const from = `${tables} where ${conditions.join(' and ')}`;
  const order = `${sortColumns[filter.sort]} ${filter.direction}, i.number ${filter.direction}`;
  const { rows, total } = await selectPage<IssueRow>(sql, { columns, from, values, order }, page);
  return { issues: rows.map(issueFromRow), total };
}

/** A part of the issues that match the filter. */
export async function sliceIssues(
  sql: Sql,
  repositoryId: number,
  filter: IssueFilter,
  bounds: KeysetBounds,
): Promise<Slice<{ issue: Issue }>> {
  const { conditions, values } = conditionsOf(repositoryId, filter);
  const list = {
    columns,
    from: `${tables} where ${conditions.join(' and ')}`,
    values,
    by: sortColumns[filter.sort],
    tie: 'i.number',
    descending: filter.direction === 'desc',
  };
  const [slice] = await selectSlices<IssueRow>(sql, [{ list, bounds }]);
  const rows = slice?.rows.map((row) => ({ issue: issueFromRow(row), key: row.key }));
  return { rows: rows ?? [], more: slice?.more ?? false };
}

/** How many issues match the filter. */
export async function countIssues(
  sql: Sql,
  repositoryId: number,
  filter: IssueFilter,
): Promise<number> {
  const { conditions, values } = conditionsOf(repositoryId, filter);
  const row = await sql.get<{ total: number }>(
    `select count(*) as total from ${tables} where ${conditions.join(' and ')}`,
    ...values,
  );
  return row?.total ?? 0;
}

/** Authors of an issue, its comments and its reviews, in the order of their ids. */
export async function participantsOf(sql: Sql, issueId: number): Promise<number[]> {
  const rows = await sql.all<{ id: number }>(
    `select author_id as id from issues where id = $1
     union select author_id from issue_comments where issue_id = $1
     union select author_id from reviews where pull_id = $1 and state <> 'PENDING' order by id`,
    issueId,
  );
  return rows.map(({ id }) => id);
}

const assigned = `exists (select 1 from issue_assignees s where s.issue_id = i.id)`;

function conditionsOf(
  repositoryId: number,
  filter: IssueFilter,
): { conditions: string[]; values: (string | number)[] } {
  const conditions = ['i.repository_id = $1'];
  const values: (string | number)[] = [repositoryId];
  const where = (condition: string, value: string | number): void => {
    values.push(value);
    conditions.push(condition.replace('?', `$${values.length}`));
  };
  const { assignee, milestone } = filter;
  if (filter.anyLabel) {
    const names = filter.anyLabel.map((name) => `$${values.push(caseless(name))}`);
    conditions.push(`exists (select 1 from issue_labels x join labels l on l.id = x.label_id
      where x.issue_id = i.id and l.name_key in (${names.join(', ') || 'null'}))`);
  }
  if (filter.only) conditions.push(`i.is_pull = ${filter.only === 'pulls' ? 1 : 0}`);
  if (filter.state !== 'all') where('i.state = ?', filter.state);
  for (const name of filter.labels) {
    where(
      `exists (select 1 from issue_labels x join labels l on l.id = x.label_id
        where x.issue_id = i.id and l.name_key = ?)`,
      caseless(name),
    );
  }
  if (assignee === 'none') conditions.push(`not ${assigned}`);
  else if (assignee === 'any') conditions.push(assigned);
  else if (assignee) {
    where(
      `exists (select 1 from issue_assignees s join accounts a on a.id = s.account_id
        where s.issue_id = i.id and a.login_key = ?)`,
      caseless(assignee.login),
    );
  }
  if (filter.creator !== undefined) {
    where('i.author_id = (select id from accounts where login_key = ?)', caseless(filter.creator));
  }
  if (milestone === 'none') conditions.push('i.milestone_id is null');
  else if (milestone === 'any') conditions.push('i.milestone_id is not null');
  else if (milestone) {
    where(
      'i.milestone_id = (select id from milestones where repository_id = $1 and number = ?)',
      milestone.number,
    );
  }
  if (filter.updatedSince !== undefined) where('i.updated_at >= ?', filter.updatedSince);
  return { conditions, values };
}

/** Whether the issue of this id is a pull. */
export async function isPull(sql: Sql, issueId: number): Promise<boolean> {
  const row = await sql.get<{ is_pull: number }>(
    `select is_pull from issues where id = $1`,
    issueId,
  );
  return row?.is_pull === 1;
}

function issueFromRow(row: IssueRow): Issue {
  return {
    id: row.id,
    repositoryId: row.repository_id,
    number: row.number,
    pull: row.is_pull === 1 ? { mergedAt: row.merged_at } : undefined,
    authorId: row.author_id,
    title: row.title,
    body: row.body,
    state: row.state,
    stateReason: row.state_reason,
    pinned: row.pinned_at !== null,
    locked: row.locked === 1,
    lockReason: row.lock_reason,
    comments: row.comments,
    milestoneId: row.milestone_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    closedAt: row.closed_at,
    closedById: row.closed_by_id,
  };
}
