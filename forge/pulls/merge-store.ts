import { repositoryEventsChannel } from '../events/event-outbox-store.ts';
import type { RepositoryWrite } from '../events/invalidate.ts';
import type { ObjectId } from '../git/names.ts';
import { recordEvent } from '../issues/issue-event-store.ts';
import type { Pull, PullSize, TestMerge } from '../model/pull.ts';
import { addOpenIssues } from '../repositories/repository-store.ts';
import { setPullSize } from './pull-change-store.ts';

/** The merge of a pull, as its row has it. */
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
export async function markMerged(sql: RepositoryWrite, merge: MergeRecord): Promise<boolean> {
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
