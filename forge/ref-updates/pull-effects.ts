import type { ObjectId } from '../git/names.ts';
import type { Pull, PullSize } from '../model/pull.ts';

/** The tips of the branches of an open pull, and how git relates them. */
export interface PullWithTips {
  readonly pull: Pull;
  /** The tip of the base branch; `gone` if the branch was deleted. */
  readonly base: ObjectId | 'gone';
  readonly head: ObjectId | 'gone';
  /**
   * Heads that became part of the base branch since the row's base, each with the first-parent commit that merged it.
   */
  readonly mergedHeads: ReadonlyMap<ObjectId, ObjectId>;
  /** The size of the pull with the current head; set if that is not the row's head. */
  readonly size: PullSize | undefined;
}

/** A change of an open pull because the tip of one of its branches differs from its row. */
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
 * The effects on one pull, in order. If a head became part of the base, the pull is merged. The head in the row comes before
 * a later one, because commits pushed on top of it were not merged.
 */
export function effectsOnPull({ pull, base, head, mergedHeads, size }: PullWithTips): PullEffect[] {
  if (base === 'gone') return [{ kind: 'closed', pull }];
  const mergedBefore = mergedHeads.get(pull.head.sha);
  if (mergedBefore !== undefined) {
    return [{ kind: 'merged', pull, head: pull.head.sha, commit: mergedBefore }];
  }
  if (head === 'gone') return [{ kind: 'closed', pull }];
  if (head === pull.head.sha || size === undefined) return [];
  const moved: PullEffect = { kind: 'head-moved', pull, head, size };
  const mergedNow = mergedHeads.get(head);
  if (mergedNow !== undefined) return [moved, { kind: 'merged', pull, head, commit: mergedNow }];
  // Nothing is left to merge although the base did not move: the head was reset.
  return size.commits === 0 ? [moved, { kind: 'closed', pull }] : [moved];
}
