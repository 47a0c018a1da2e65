import type { Issue } from './issue.ts';
import type { Label } from './label.ts';
import type { Milestone } from './milestone.ts';

/** An issue as it was at the time of an event, for the payload of one that was deleted or transferred. */
export interface IssueSnapshot {
  readonly issue: Issue;
  readonly labels: readonly Label[];
  readonly assigneeIds: readonly number[];
  readonly milestone: Milestone | null;
}
