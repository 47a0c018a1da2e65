import type { RepositoryWrite } from '../events/invalidate.ts';
import type { MinimizedReason } from '../model/minimized.ts';

const tables = {
  IssueComment: 'issue_comments',
  PullRequestReview: 'reviews',
  PullRequestReviewComment: 'review_comments',
} as const;

export type MinimizableType = keyof typeof tables;

/** Hides a comment, or shows it again. Says whether it exists. */
export async function setMinimized(
  sql: RepositoryWrite,
  { type, id }: { readonly type: MinimizableType; readonly id: number },
  reason: MinimizedReason | null,
): Promise<boolean> {
  const changed = await sql.run(
    `update ${tables[type]} set minimized_reason = $2 where id = $1`,
    id,
    reason,
  );
  return changed > 0;
}
