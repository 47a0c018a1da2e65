import type { ObjectId } from '../git/names.ts';
import type { Minimizable } from './minimized.ts';

/** A review of a pull. */
export interface Review extends Minimizable {
  readonly id: number;
  readonly pullId: number;
  readonly authorId: number;
  readonly body: string;
  readonly state: ReviewState;
  /** The head that was reviewed. */
  readonly commitSha: ObjectId;
  /** Milliseconds since the epoch; null until it is submitted. */
  readonly submittedAt: number | null;
  /** False if the base of the pull has changed since the review was started: the pull shows other changes then. */
  readonly isOfPresentBase: boolean;
}

export type ReviewState = 'PENDING' | 'COMMENTED' | 'APPROVED' | 'CHANGES_REQUESTED' | 'DISMISSED';

export const reviewEvents = ['APPROVE', 'REQUEST_CHANGES', 'COMMENT'] as const;

export type ReviewEvent = (typeof reviewEvents)[number];

export const stateAfter: Readonly<Record<ReviewEvent, ReviewState>> = {
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
  COMMENT: 'COMMENTED',
};
