/** An issue. Every pull is an issue too. */
export interface Issue {
  readonly id: number;
  readonly repositoryId: number;
  readonly number: number;
  /** Set for those that are pulls. */
  readonly pull: { readonly mergedAt: number | null } | undefined;
  readonly authorId: number;
  readonly title: string;
  /** null if the issue never had a body, which differs from an empty body. */
  readonly body: string | null;
  readonly state: 'open' | 'closed';
  /** null: never closed, or a pull. */
  readonly stateReason: StateReason | null;
  readonly pinned: boolean;
  readonly locked: boolean;
  readonly lockReason: string | null;
  readonly comments: number;
  readonly milestoneId: number | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly closedAt: number | null;
  readonly closedById: number | null;
}

export const closeReasons = ['completed', 'not_planned', 'duplicate'] as const;

export type CloseReason = (typeof closeReasons)[number];

export type StateReason = CloseReason | 'reopened';

/** Why a conversation is locked, as `active_lock_reason` spells it. */
export const lockReasons = ['off-topic', 'too heated', 'resolved', 'spam'] as const;

export type LockReason = (typeof lockReasons)[number];

/** Who changes which issue, and when: what every event of it says. */
export interface IssueChange {
  readonly issueId: number;
  readonly repositoryId: number;
  /** null if the actor is unknown. */
  readonly actorId: number | null;
  readonly now: number;
}
