import type { CommitStatus } from './commit-status.ts';

/** What the latest statuses of all contexts of a commit come to; `none` where there are no statuses at all. */
export type CombinedState = 'none' | 'pending' | 'failure' | 'success';

export interface CombinedStatus {
  /** Of all contexts, whichever of them the page shows. */
  readonly state: CombinedState;
  readonly contexts: number;
  /** The latest status of each context of the page, the oldest first. */
  readonly statuses: readonly CommitStatus[];
}

/** The contexts of a commit, counted by the state of their latest status. */
export interface ContextCounts {
  readonly contexts: number;
  /** In state error or failure. */
  readonly failing: number;
  readonly pending: number;
}

/** spec, States and transitions, Commit status: failure outweighs pending, and success needs every context. */
export function rollUp(counts: ContextCounts): CombinedState {
  if (counts.contexts === 0) return 'none';
  if (counts.failing > 0) return 'failure';
  return counts.pending > 0 ? 'pending' : 'success';
}
