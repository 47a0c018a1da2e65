import type { Sql, SqlValue } from '#platform/database/database.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';
import { present } from '#platform/present.ts';

import { placeholders } from '../accounts/account-store.ts';
import type { ObjectId } from '../git/names.ts';
import { caseless } from '../model/account.ts';
import type { AutoMerge, Pull, PullSettings, TestMerge } from '../model/pull.ts';
import type { PullFilter } from './pull-filter.ts';

export interface PullRow {
  id: number;
  repository_id: number;
  number: number;
  author_id: number;
  title: string;
  body: string | null;
  state: 'open' | 'closed';
  locked: number;
  lock_reason: string | null;
  comments: number;
  created_at: number;
  updated_at: number;
  closed_at: number | null;
  base_ref: string;
  base_sha: ObjectId;
  head_repository_id: number | null;
  head_owner_id: number | null;
  head_owner_login: string;
  head_ref: string;
  head_sha: ObjectId;
  draft: number;
  maintainer_can_modify: number;
  merged: number;
  merged_at: number | null;
  merged_by_id: number | null;
  merge_commit_sha: ObjectId | null;
  commits: number;
  additions: number;
  deletions: number;
  changed_files: number;
  review_comments: number;
  tested_base_sha: ObjectId | null;
  tested_head_sha: ObjectId | null;
  tested_clean: number | null;
  tested_rebaseable: number | null;
  test_merge_sha: ObjectId | null;
  tested_behind: number;
  auto_merge_at: number | null;
  auto_merge_by_id: number | null;
  auto_merge_head_sha: ObjectId | null;
  auto_merge_method: AutoMerge['method'] | null;
  auto_merge_title: string | null;
  auto_merge_message: string | null;
}

export const pullColumns = `p.id, p.repository_id, i.number, i.author_id, i.title, i.body, i.state, i.locked, i.lock_reason,
  i.comments, i.created_at, i.updated_at, i.closed_at, p.base_ref, p.base_sha, p.head_repository_id, p.head_owner_id,
  p.head_owner_login, p.head_ref, p.head_sha, p.draft, p.maintainer_can_modify, p.merged, p.merged_at, p.merged_by_id,
  p.merge_commit_sha, p.commits, p.additions, p.deletions, p.changed_files, p.review_comments, p.tested_base_sha,
  p.tested_head_sha, p.tested_clean, p.tested_rebaseable, p.test_merge_sha, p.tested_behind,
  p.auto_merge_at, p.auto_merge_by_id, p.auto_merge_head_sha, p.auto_merge_method, p.auto_merge_title,
  p.auto_merge_message`;

export const pullTables = 'pulls p join issues i on i.id = p.id';

export async function findPull(
  sql: Sql,
  repositoryId: number,
  number: number,
): Promise<Pull | undefined> {
  const row = await sql.get<PullRow>(
    `select ${pullColumns} from ${pullTables} where i.repository_id = $1 and i.number = $2`,
    repositoryId,
    number,
  );
  return row && pullFromRow(row);
}

/** The newest pulls with this head, or that were merged as this commit. */
export async function pullsAtCommit(
  sql: Sql,
  repositoryId: number,
  sha: ObjectId,
  max: number,
): Promise<Pull[]> {
  const rows = await sql.all<PullRow>(
    `select ${pullColumns} from ${pullTables}
     where p.repository_id = $1 and (p.head_sha = $2 or p.merge_commit_sha = $2) order by i.number desc limit $3`,
    repositoryId,
    sha,
    max,
  );
  return rows.map(pullFromRow);
}

export async function findPullById(sql: Sql, id: number): Promise<Pull | undefined> {
  const row = await sql.get<PullRow>(
    `select ${pullColumns} from ${pullTables} where p.id = $1`,
    id,
  );
  return row && pullFromRow(row);
}

/** Several pulls, in one statement and ordered by id. */
export async function pullsById(sql: Sql, ids: Iterable<number>): Promise<Pull[]> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return [];
  const rows = await sql.all<PullRow>(
    `select ${pullColumns} from ${pullTables} where p.id in (${placeholders(unique.length)}) order by p.id`,
    ...unique,
  );
  return rows.map(pullFromRow);
}

const sortColumns: Readonly<Record<PullFilter['sort'], string>> = {
  created: 'i.number',
  updated: 'i.updated_at',
  popularity: 'i.comments',
  'long-running': 'i.number',
};

/** One page of the pulls that match the filter, and their total number. */
export async function listPulls(
  sql: Sql,
  repositoryId: number,
  filter: PullFilter,
  page: PageBounds,
): Promise<{ pulls: Pull[]; total: number }> {
  const conditions = ['i.repository_id = $1', 'i.is_pull = 1'];
  const values: (string | number)[] = [repositoryId];
  const where = (condition: string, value: string | number): void => {
    values.push(value);
    conditions.push(condition.replace('?', `$${values.length}`));
  };
  if (filter.state !== 'all') where('i.state = ?', filter.state);
  if (filter.base !== undefined) where('p.base_ref = ?', filter.base);
  if (filter.head) {
    where('lower(p.head_owner_login) = ?', caseless(filter.head.owner));
    where('p.head_ref = ?', filter.head.ref);
  }
  if (filter.updatedAfter !== undefined) where('i.updated_at >= ?', filter.updatedAfter);
  const from = `${pullTables} where ${conditions.join(' and ')}`;
  const order = `${sortColumns[filter.sort]} ${filter.direction}, i.number ${filter.direction}`;
  const { rows, total } = await selectPage<PullRow>(
    sql,
    { columns: pullColumns, from, values, order },
    page,
  );
  return { pulls: rows.map(pullFromRow), total };
}

export async function countOpenPulls(sql: Sql, repositoryId: number): Promise<number> {
  const row = await sql.get<{ count: number }>(
    `select count(*) as count from issues where repository_id = $1 and is_pull = 1 and state = 'open'`,
    repositoryId,
  );
  return row?.count ?? 0;
}

/** Branches of a repository whose open pulls allow edits by maintainers of the base. */
export async function headsOpenToMaintainers(
  sql: Sql,
  repositoryId: number,
): Promise<{ baseRepositoryId: number; branch: string }[]> {
  const rows = await sql.all<{ repository_id: number; head_ref: string }>(
    `select p.repository_id, p.head_ref from pulls p join repositories r on r.id = p.head_repository_id
       join accounts a on a.id = r.owner_id
     where p.head_repository_id = $1 and p.maintainer_can_modify = 1 and p.open = 1 and r.archived = 0 and a.kind = 'user'`,
    repositoryId,
  );
  return rows.map((row) => ({ baseRepositoryId: row.repository_id, branch: row.head_ref }));
}

/** An open pull from this head into this base, if there is one. */
export async function openPullFor(
  sql: Sql,
  repositoryId: number,
  baseRef: string,
  headRepositoryId: number,
  headRef: string,
): Promise<boolean> {
  const row = await sql.get(
    `select 1 as found from pulls where repository_id = $1 and base_ref = $2 and head_repository_id = $3
       and head_ref = $4 and open = 1`,
    repositoryId,
    baseRef,
    headRepositoryId,
    headRef,
  );
  return row !== undefined;
}

/** The columns of `pulls` that hold these settings. */
export function settingColumns(
  settings: Partial<PullSettings>,
): Readonly<Record<string, SqlValue>> {
  return present({
    draft: flag(settings.draft),
    maintainer_can_modify: flag(settings.maintainerCanModify),
  });
}

function flag(value: boolean | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}

export function pullFromRow(row: PullRow): Pull {
  return {
    id: row.id,
    repositoryId: row.repository_id,
    number: row.number,
    authorId: row.author_id,
    title: row.title,
    body: row.body,
    state: row.state,
    locked: row.locked === 1,
    lockReason: row.lock_reason,
    base: { ref: row.base_ref, sha: row.base_sha },
    head: {
      ref: row.head_ref,
      sha: row.head_sha,
      repositoryId: row.head_repository_id,
      ownerId: row.head_owner_id,
      ownerLogin: row.head_owner_login,
    },
    draft: row.draft === 1,
    maintainerCanModify: row.maintainer_can_modify === 1,
    autoMerge: autoMergeFromRow(row),
    merge: mergeFromRow(row),
    size: {
      commits: row.commits,
      additions: row.additions,
      deletions: row.deletions,
      changedFiles: row.changed_files,
    },
    comments: row.comments,
    reviewComments: row.review_comments,
    testMerge: testFromRow(row),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    closedAt: row.closed_at,
  };
}

function autoMergeFromRow(row: PullRow): AutoMerge | undefined {
  const { auto_merge_at: at, auto_merge_head_sha: headSha, auto_merge_method: method } = row;
  if (row.state === 'closed' || at === null || headSha === null || method === null)
    return undefined;
  const { auto_merge_by_id: byId, auto_merge_title: title, auto_merge_message: message } = row;
  return { at, byId, headSha, method, title, message };
}

function mergeFromRow(row: PullRow): Pull['merge'] {
  if (row.merged !== 1 || row.merged_at === null || row.merge_commit_sha === null) return undefined;
  return { at: row.merged_at, byId: row.merged_by_id, commit: row.merge_commit_sha };
}

function testFromRow(row: PullRow): TestMerge | undefined {
  if (row.tested_base_sha === null || row.tested_head_sha === null) return undefined;
  return {
    baseSha: row.tested_base_sha,
    headSha: row.tested_head_sha,
    clean: row.tested_clean === 1,
    rebaseable: row.tested_rebaseable === 1,
    behind: row.tested_behind === 1,
    commit: row.test_merge_sha,
  };
}
