import type { ObjectId } from '../git/names.ts';

/** A status of a commit, reported by an external system. Immutable; a later one with the same context supersedes it. */
export interface CommitStatus {
  readonly id: number;
  readonly sha: ObjectId;
  readonly state: StatusState;
  readonly description: string | null;
  readonly targetUrl: string | null;
  /** The label that distinguishes external systems, in its original spelling; compared case-insensitively. */
  readonly context: string;
  readonly creatorId: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** The status in a request. */
export type StatusInput = Pick<CommitStatus, 'state' | 'description' | 'targetUrl' | 'context'>;

export const statusStates = ['error', 'failure', 'pending', 'success'] as const;

export type StatusState = (typeof statusStates)[number];

export const contextDefault = 'default';

/** Statuses of one commit and context (spec; docs/specification/forge.md 6.4). */
export const statusesPerContextMax = 1000;

/** Description of a status, in characters, not bytes. */
export const descriptionLengthMax = 140;

/** Context of a status. */
export const contextLengthMax = 255;

/** Target URL of a status. */
export const targetUrlLengthMax = 4096;

/** The combined state of the latest status of each context; `none` without statuses. */
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

/** Failure outweighs pending, and success needs every context (docs/specification/forge.md 11.4). */
export function rollUp(counts: ContextCounts): CombinedState {
  if (counts.contexts === 0) return 'none';
  if (counts.failing > 0) return 'failure';
  return counts.pending > 0 ? 'pending' : 'success';
}
