import type { ObjectId } from '../git/names.ts';
import type { CombinedState } from './commit-status.ts';

/** What a request chooses when it creates a pull; an update can change what `editPullBody` lists. */
export interface PullSettings {
  readonly draft: boolean;
  readonly maintainerCanModify: boolean;
}

/** The settings of a pull whose request names none. */
export const defaultPullSettings: PullSettings = {
  draft: false,
  maintainerCanModify: false,
};

/** A pull request: a proposal to merge the commits of a head branch into a base branch. */
export interface Pull extends PullSettings {
  readonly id: number;
  /** The base repository, whose number sequence it is in. */
  readonly repositoryId: number;
  readonly number: number;
  readonly authorId: number;
  readonly title: string;
  /** null if never set; an empty body is not null. */
  readonly body: string | null;
  readonly state: 'open' | 'closed';
  readonly locked: boolean;
  readonly lockReason: string | null;
  readonly base: { readonly ref: string; readonly sha: ObjectId };
  readonly head: PullHead;
  /** Set while it is open and auto-merge is enabled. */
  readonly autoMerge: AutoMerge | undefined;
  /** Set once it is merged; a merged pull is closed and stays so. */
  readonly merge: PullMerge | undefined;
  readonly size: PullSize;
  readonly comments: number;
  readonly reviewComments: number;
  /** The last test merge, possibly of an older base or head. */
  readonly testMerge: TestMerge | undefined;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly closedAt: number | null;
}

export interface PullHead {
  readonly ref: string;
  readonly sha: ObjectId;
  /** null once the head repository is deleted. */
  readonly repositoryId: number | null;
  readonly ownerId: number | null;
  /** Stored for the label of a head whose repository was deleted. */
  readonly ownerLogin: string;
}

export interface PullMerge {
  readonly at: number;
  readonly byId: number | null;
  readonly commit: ObjectId;
}

/** How auto-merge merges an open pull. */
export interface AutoMerge {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** In whose name; null once the account is gone. */
  readonly byId: number | null;
  readonly headSha: ObjectId;
  readonly method: 'merge' | 'squash' | 'rebase';
  /** null: the default. */
  readonly title: string | null;
  readonly message: string | null;
}

/** The size of the diff `base...head`. */
export interface PullSize {
  readonly commits: number;
  readonly additions: number;
  readonly deletions: number;
  readonly changedFiles: number;
}

export interface TestMerge {
  readonly baseSha: ObjectId;
  readonly headSha: ObjectId;
  readonly clean: boolean;
  readonly rebaseable: boolean;
  /** The head lacks commits of the base. */
  readonly behind: boolean;
  /** The test merge commit; after a conflict the one of the last clean test, if there ever was one. */
  readonly commit: ObjectId | null;
}

/** Rendered as null, true and false (docs/specification/forge.md 12.9 and 12.12). */
export type Mergeability = 'unknown' | 'mergeable' | 'conflicting';

export type MergeableState =
  | 'unknown'
  | 'draft'
  | 'dirty'
  | 'blocked'
  | 'behind'
  | 'unstable'
  | 'clean';

/** Mergeability by the last test merge, if it is current: an open pull needs a test of its present commits. */
export function mergeability(pull: Pull): Mergeability {
  if (pull.merge || !pull.testMerge || (pull.state === 'open' && !hasCurrentTestMerge(pull))) {
    return 'unknown';
  }
  return pull.testMerge.clean ? 'mergeable' : 'conflicting';
}

/** Rules of the base branch that block a merge, in addition to conflicts in git. */
export interface MergeBlock {
  /** Why it may not be merged now; undefined if nothing blocks it. */
  readonly blockedBecause: string | undefined;
  /** Its head lacks commits of a base that demands heads to be up to date. */
  readonly behind: boolean;
}

/** The first of unknown, draft, dirty, blocked, behind, unstable that holds, else clean. */
export function mergeableState(
  pull: Pull,
  statuses: CombinedState,
  protection: MergeBlock,
): MergeableState {
  const merges = mergeability(pull);
  if (merges === 'unknown') return pull.draft && !pull.merge ? 'draft' : 'unknown';
  if (pull.draft) return 'draft';
  if (merges === 'conflicting') return 'dirty';
  if (protection.blockedBecause !== undefined) return 'blocked';
  if (protection.behind) return 'behind';
  return statuses === 'pending' || statuses === 'failure' ? 'unstable' : 'clean';
}

/** `merge_commit_sha` (docs/specification/forge.md 12.10). */
export function mergeCommitSha(pull: Pull): ObjectId | null {
  if (pull.merge) return pull.merge.commit;
  return pull.testMerge && (pull.state === 'closed' || hasCurrentTestMerge(pull))
    ? pull.testMerge.commit
    : null;
}

/** `owner:branch`. */
export function headLabel(pull: Pull): string {
  return `${pull.head.ownerLogin}:${pull.head.ref}`;
}

export function hasCurrentTestMerge({ testMerge, base, head }: Pull): boolean {
  return testMerge?.baseSha === base.sha && testMerge.headSha === head.sha;
}
