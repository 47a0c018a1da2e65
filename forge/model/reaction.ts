/** In the order in which GitHub lists them. */
export const reactionContents = [
  '+1',
  '-1',
  'laugh',
  'hooray',
  'confused',
  'heart',
  'rocket',
  'eyes',
] as const;

export type ReactionContent = (typeof reactionContents)[number];

/** What accounts can react to; pulls are issues. */
export const reactionSubjects = [
  'issue',
  'issue_comment',
  'review_comment',
  'commit_comment',
  'release',
] as const;

export interface ReactionSubject {
  readonly kind: (typeof reactionSubjects)[number];
  readonly id: number;
}

export interface Reaction {
  readonly id: number;
  readonly accountId: number;
  readonly content: ReactionContent;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** How many reactions of each content there are; contents without any are absent. */
export type ReactionCounts = ReadonlyMap<ReactionContent, number>;
