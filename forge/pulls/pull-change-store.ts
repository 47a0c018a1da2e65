import { placeholders } from '../accounts/account-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import type { ObjectId } from '../git/names.ts';
import { recordEvent } from '../issues/issue-event-store.ts';
import type { IssueChange } from '../model/issue.ts';
import { addOpenIssues, takeNumber } from '../repositories/repository-store.ts';
import type { Pull, PullSettings, PullSize } from '../model/pull.ts';
import { settingColumns } from './pull-store.ts';
import type { PullTips } from './reopen.ts';

export interface NewPull {
  readonly repositoryId: number;
  readonly authorId: number;
  readonly title: string;
  readonly body: string | null;
  readonly base: Pull['base'];
  readonly head: Pull['head'];
  readonly settings: PullSettings;
  readonly size: PullSize;
  readonly now: number;
}

/** Fails with a unique violation if an open pull with the same head and base exists. */
export async function insertPull(
  sql: RepositoryWrite,
  pull: NewPull,
): Promise<{ id: number; number: number }> {
  const number = await takeNumber(sql, pull.repositoryId);
  const issue = await sql.get<{ id: number }>(
    `insert into issues (repository_id, number, is_pull, author_id, title, body, state, created_at, updated_at)
     values ($1, $2, 1, $3, $4, $5, 'open', $6, $6) returning id`,
    pull.repositoryId,
    number,
    pull.authorId,
    pull.title,
    pull.body,
    pull.now,
  );
  if (!issue) throw new Error('insert into issues returned no row');
  await insertPullRow(sql, issue.id, pull);
  await addOpenIssues(sql, pull.repositoryId, 1);
  return { id: issue.id, number };
}

/** Converts an existing issue into a pull; its number, title, body and author stay. */
export async function insertPullRow(
  sql: RepositoryWrite,
  issueId: number,
  pull: NewPull,
): Promise<void> {
  const row = {
    id: issueId,
    repository_id: pull.repositoryId,
    open: 1,
    base_ref: pull.base.ref,
    base_sha: pull.base.sha,
    head_repository_id: pull.head.repositoryId,
    head_owner_id: pull.head.ownerId,
    head_owner_login: pull.head.ownerLogin,
    head_ref: pull.head.ref,
    head_sha: pull.head.sha,
    ...settingColumns(pull.settings),
    commits: pull.size.commits,
    additions: pull.size.additions,
    deletions: pull.size.deletions,
    changed_files: pull.size.changedFiles,
  };
  const columns = Object.keys(row);
  await sql.run(
    `insert into pulls (${columns.join(', ')}) values (${placeholders(columns.length)})`,
    ...Object.values(row),
  );
}

export interface PullEdit {
  readonly title?: string;
  readonly body?: string | null;
  readonly settings?: Partial<PullSettings>;
  /** A new base: its current tip, and the size of the pull against it. */
  readonly base?: Pull['base'] & { readonly size: PullSize };
}

export async function updatePullRows(
  sql: RepositoryWrite,
  pull: Pull,
  edit: PullEdit,
  byId: number,
  now: number,
): Promise<void> {
  await sql.run(
    `update issues set title = $2, body = $3, updated_at = $4 where id = $1`,
    pull.id,
    edit.title ?? pull.title,
    edit.body === undefined ? pull.body : edit.body,
    now,
  );
  if (edit.title !== undefined && edit.title !== pull.title) {
    await recordEvent(sql, changeOf(pull, byId, now), {
      event: 'renamed',
      from: pull.title,
      to: edit.title,
    });
  }
  const columns = Object.entries(settingColumns(edit.settings ?? {}));
  if (columns.length > 0) {
    await sql.run(
      `update pulls set ${columns.map(([name], index) => `${name} = $${index + 2}`).join(', ')} where id = $1`,
      pull.id,
      ...columns.map(([, value]) => value),
    );
  }
  if (edit.base) {
    await sql.run(
      `update pulls set base_ref = $2, base_sha = $3, base_version = base_version + 1, auto_merge_at = null where id = $1`,
      pull.id,
      edit.base.ref,
      edit.base.sha,
    );
    await setPullSize(sql, pull.id, edit.base.size);
  }
}

/** false if the pull is no longer open. */
export async function updateHead(
  sql: RepositoryWrite,
  pull: Pull,
  sha: ObjectId,
  size: PullSize,
  now: number,
): Promise<boolean> {
  const moved = await sql.run(
    `update pulls set head_sha = $2 where id = $1 and open = 1`,
    pull.id,
    sha,
  );
  if (moved === 0) return false;
  await setPullSize(sql, pull.id, size);
  await sql.run(`update issues set updated_at = $2 where id = $1`, pull.id, now);
  return true;
}

/** A base branch with its tip. */
export interface BaseMove {
  readonly repositoryId: number;
  readonly ref: string;
  readonly sha: ObjectId;
}

/** Sets the base of every open pull into the branch, which invalidates their test merges. */
export async function updateBases(
  sql: RepositoryWrite,
  { repositoryId, ref, sha }: BaseMove,
): Promise<void> {
  await sql.run(
    `update pulls set base_sha = $3 where repository_id = $1 and base_ref = $2 and open = 1`,
    repositoryId,
    ref,
    sha,
  );
}

export async function setPullSize(
  sql: RepositoryWrite,
  pullId: number,
  size: PullSize,
): Promise<void> {
  await sql.run(
    `update pulls set commits = $2, additions = $3, deletions = $4, changed_files = $5 where id = $1`,
    pullId,
    size.commits,
    size.additions,
    size.deletions,
    size.changedFiles,
  );
}

/** Closes an open pull; false if it was not open. */
export async function closePull(
  sql: RepositoryWrite,
  pull: Pull,
  byId: number | null,
  now: number,
): Promise<boolean> {
  const closed = await sql.run(`update pulls set open = 0 where id = $1 and open = 1`, pull.id);
  if (closed === 0) return false;
  await sql.run(
    `update issues set state = 'closed', closed_at = $2, closed_by_id = $3, updated_at = $2 where id = $1`,
    pull.id,
    now,
    byId,
  );
  await recordEvent(sql, changeOf(pull, byId, now), { event: 'closed' });
  await addOpenIssues(sql, pull.repositoryId, -1);
  return true;
}

/** false if it was open or merged; fails with a unique violation if another open pull has the same head and base. */
export async function reopenPull(
  sql: RepositoryWrite,
  pull: Pull,
  tips: PullTips,
  byId: number,
  now: number,
): Promise<boolean> {
  const opened = await sql.run(
    `update pulls set open = 1, base_sha = $2, head_sha = $3, auto_merge_at = null
     where id = $1 and open = 0 and merged = 0`,
    pull.id,
    tips.baseSha,
    tips.headSha,
  );
  if (opened === 0) return false;
  await setPullSize(sql, pull.id, tips.size);
  await sql.run(
    `update issues set state = 'open', closed_at = null, closed_by_id = null, updated_at = $2 where id = $1`,
    pull.id,
    now,
  );
  await recordEvent(sql, changeOf(pull, byId, now), { event: 'reopened' });
  await addOpenIssues(sql, pull.repositoryId, 1);
  return true;
}

function changeOf(pull: Pull, actorId: number | null, now: number): IssueChange {
  return { issueId: pull.id, repositoryId: pull.repositoryId, actorId, now };
}

/** The id of an open issue that has just become a pull; undefined if there is no such issue. */
export async function convertIssueToPull(
  sql: RepositoryWrite,
  repositoryId: number,
  number: number,
): Promise<number | undefined> {
  const row = await sql.get<{ id: number }>(
    `update issues set is_pull = 1 where repository_id = $1 and number = $2 and is_pull = 0 and state = 'open'
     returning id`,
    repositoryId,
    number,
  );
  return row?.id;
}
