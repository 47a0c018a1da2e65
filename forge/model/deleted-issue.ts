import type { Issue } from './issue.ts';
import type { Label } from './label.ts';
import type { Milestone } from './milestone.ts';

/** An issue as it was before it was deleted, for the payload of its event. */
export interface DeletedIssue {
  readonly issue: Issue;
  readonly labels: readonly Label[];
  readonly assigneeIds: readonly number[];
  readonly milestone: Milestone | null;
}
