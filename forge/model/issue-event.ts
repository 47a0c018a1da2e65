import type { ObjectId } from '../git/names.ts';
import type { StateReason } from './issue.ts';

/** An event of an issue or pull, with the names of that time: labels and milestones may be deleted or renamed since. */
export type IssueEventDetails =
  | {
      readonly event: 'labeled' | 'unlabeled';
      readonly label: { readonly name: string; readonly color: string };
    }
  | { readonly event: 'assigned' | 'unassigned'; readonly assigneeId: number }
  | { readonly event: 'milestoned' | 'demilestoned'; readonly milestoneTitle: string }
  | { readonly event: 'renamed'; readonly from: string; readonly to: string }
  | { readonly event: 'locked'; readonly reason: string | null }
  | { readonly event: 'merged'; readonly commit: ObjectId }
  | { readonly event: 'unlocked' }
  /** By a commit of the same repository, where one said so. */
  | { readonly event: 'closed'; readonly commit?: ObjectId; readonly reason?: StateReason }
  | { readonly event: 'reopened' }
  | { readonly event: 'pinned' | 'unpinned' }
  | { readonly event: 'transferred'; readonly fromRepositoryId: number }
  | {
      readonly event: 'review_requested' | 'review_request_removed';
      /** Of a person; else of a team. */
      readonly reviewerId?: number;
      readonly teamId?: number;
    }
  | { readonly event: 'ready_for_review' | 'convert_to_draft' };

export interface IssueEvent {
  readonly id: number;
  readonly issueId: number;
  readonly actorId: number | null;
  readonly eventDetails: IssueEventDetails;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** The GraphQL type of each event, which its global id names too. */
export const issueEventTypes: Readonly<Record<IssueEventDetails['event'], string>> = {
  labeled: 'LabeledEvent',
  unlabeled: 'UnlabeledEvent',
  assigned: 'AssignedEvent',
  unassigned: 'UnassignedEvent',
  milestoned: 'MilestonedEvent',
  demilestoned: 'DemilestonedEvent',
  renamed: 'RenamedTitleEvent',
  locked: 'LockedEvent',
  unlocked: 'UnlockedEvent',
  merged: 'MergedEvent',
  pinned: 'PinnedEvent',
  unpinned: 'UnpinnedEvent',
  transferred: 'TransferredEvent',
  closed: 'ClosedEvent',
  reopened: 'ReopenedEvent',
  review_requested: 'ReviewRequestedEvent',
  review_request_removed: 'ReviewRequestRemovedEvent',
  ready_for_review: 'ReadyForReviewEvent',
  convert_to_draft: 'ConvertToDraftEvent',
};
