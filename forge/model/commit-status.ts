import type { ObjectId } from '../git/names.ts';

/** One report of an external system about a commit. Never changes; a later one of its context replaces its word. */
export interface CommitStatus {
  readonly id: number;
  readonly sha: ObjectId;
  readonly state: StatusState;
  readonly description: string | null;
  readonly targetUrl: string | null;
  /** The label that tells systems apart, as it was spelled; compares without case. */
  readonly context: string;
  readonly creatorId: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** What a caller says about a commit. */
export type StatusWish = Pick<CommitStatus, 'state' | 'description' | 'targetUrl' | 'context'>;

export const statusStates = ['error', 'failure', 'pending', 'success'] as const;
export type StatusState = (typeof statusStates)[number];

export const contextDefault = 'default';

/** spec, Limits: statuses per sha and context. */
export const statusesPerContextMax = 1000;

/** Characters, not bytes. */
export const descriptionLengthMax = 140;
export const contextLengthMax = 255;
export const targetUrlLengthMax = 4096;
