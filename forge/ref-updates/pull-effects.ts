import type { ObjectId } from '../git/names.ts';
import type { Pull, PullSize } from '../model/pull.ts';

/** Where the branches of an open pull are, and what git says of that. */
export interface PullFacts {
  readonly pull: Pull;
  /** The tip of the base branch; `gone` when there is no such branch any more. */
  readonly base: ObjectId | 'gone';
  readonly head: ObjectId | 'gone';
  /**
   * Heads that became part of the base branch since the row's base, each with the commit of the branch's own line that
   * brought it in.
   */
  readonly brought: ReadonlyMap<ObjectId, ObjectId>;
  /** What the pull shows with the present head; known when that is not the row's. */
  readonly size: PullSize | undefined;
}

/** What an open pull comes to because a branch of it is elsewhere than its row says. */
export type PullEffect =
  | {
      readonly kind: 'head-moved';
      readonly pull: Pull;
      readonly head: ObjectId;
      readonly size: PullSize;
    }
  | {
      readonly kind: 'merged';
      readonly pull: Pull;
      readonly head: ObjectId;
      readonly commit: ObjectId;
    }
  | { readonly kind: 'closed'; readonly pull: Pull };

/**
 * The effects on one pull, in the order in which they happen. A head that became part of the base ends the pull as merged,
 * the row's own before a later one: what was pushed on top of it is not part of what was merged.
 */
export function effectsOnPull(facts: PullFacts): PullEffect[] {
  const { pull, base, head, brought, size } = facts;
  if (base === 'gone') return [{ kind: 'closed', pull }];
  const broughtBefore = brought.get(pull.head.sha);
  if (broughtBefore !== undefined) {
    return [{ kind: 'merged', pull, head: pull.head.sha, commit: broughtBefore }];
  }
  if (head === 'gone') return [{ kind: 'closed', pull }];
  if (head === pull.head.sha || size === undefined) return [];
  const moved: PullEffect = { kind: 'head-moved', pull, head, size };
  const broughtNow = brought.get(head);
  if (broughtNow !== undefined) return [moved, { kind: 'merged', pull, head, commit: broughtNow }];
  // Nothing is left to merge, and no move of the base did that: the head was taken back.
  return size.commits === 0 ? [moved, { kind: 'closed', pull }] : [moved];
}
