import { repositoryEventsChannel } from '../events/event-outbox-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import type { ObjectId } from '../git/names.ts';
import { recordEvent } from '../issues/issue-event-store.ts';
import { addOpenIssues } from '../repositories/repository-store.ts';
import type { Pull, PullSize, TestMerge } from '../model/pull.ts';

export interface MergeRecord {
  readonly pullId: number;
  readonly repositoryId: number;
  readonly byId: number | null;
  readonly at: number;
  readonly commit: ObjectId;
  /** The head that was merged. */
  readonly headSha: ObjectId;
}

/** A pull is merged if and only if its row says so; false if another merge was first. */
export async function recordMerge(sql: RepositoryWrite, merge: MergeRecord): Promise<boolean> {
  const merged = await sql.run(
    `update pulls set merged = 1, open = 0, merged_at = $2, merged_by_id = $3, merge_commit_sha = $4, head_sha = $5
     where id = $1 and merged = 0`,
    merge.pullId,
    merge.at,
    merge.byId,
    merge.commit,
    merge.headSha,
  );
  if (merged === 0) return false;
  const closed = await sql.run(
    `update issues set state = 'closed', closed_at = $2, closed_by_id = $3, updated_at = $2
     where id = $1 and state = 'open'`,
    merge.pullId,
    merge.at,
    merge.byId,
  );
  const change = {
    issueId: merge.pullId,
    repositoryId: merge.repositoryId,
    actorId: merge.byId,
    now: merge.at,
  };
  await recordEvent(sql, change, { event: 'merged', commit: merge.commit });
  if (closed > 0) {
    await recordEvent(sql, change, { event: 'closed' });
    await addOpenIssues(sql, merge.repositoryId, -1);
  }
  return true;
}

/** false if the pull is no longer open. */
export async function moveHead(
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

/** Sets the base of every open pull into the branch, which invalidates their test merges. */
export async function moveBase(
  sql: RepositoryWrite,
  repositoryId: number,
  ref: string,
  sha: ObjectId,
): Promise<void> {
  await sql.run(
    `update pulls set base_sha = $3 where repository_id = $1 and base_ref = $2 and open = 1`,
    repositoryId,
    ref,
    sha,
  );
}

export async function recordTestMerge(
  sql: RepositoryWrite,
  pull: Pull,
  test: TestMerge,
  size: PullSize,
): Promise<boolean> {
  const recorded = await sql.run(
    `update pulls set tested_base_sha = $2, tested_head_sha = $3, tested_clean = $4, tested_rebaseable = $5,
       test_merge_sha = coalesce($6, test_merge_sha), tested_behind = $7
     where id = $1 and base_sha = $2 and head_sha = $3`,
    pull.id,
    test.baseSha,
    test.headSha,
    Number(test.clean),
    Number(test.rebaseable),
    test.commit,
    Number(test.behind),
  );
  if (recorded === 0) return false;
  await setPullSize(sql, pull.id, size);
  sql.notify(repositoryEventsChannel(pull.repositoryId));
  return true;
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
