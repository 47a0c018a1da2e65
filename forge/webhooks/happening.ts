import type { ObjectId, RefName } from '../git/names.ts';
import type { CommitStatus } from '../statuses/commit-status.ts';

/**
 * What happened in a repository, in as few words as its payload can be made of later: the transaction it happens in
 * pays for no more.
 */
export type Happening =
  | { readonly event: 'ping'; readonly actorId: number | null }
  | { readonly event: 'status'; readonly status: CommitStatus }
  | RefHappening
  | PullHappening;

export interface RefHappening {
  readonly event: 'push' | 'create' | 'delete';
  readonly ref: RefName;
  readonly before: ObjectId;
  readonly after: ObjectId;
  readonly actorId: number | null;
}

export interface PullHappening {
  readonly event: 'pull_request';
  readonly action: 'opened' | 'closed' | 'reopened' | 'edited' | 'synchronize';
  readonly pullId: number;
  readonly actorId: number | null;
  /** `synchronize`: the head before and after. */
  readonly before?: ObjectId;
  readonly after?: ObjectId;
  /** `edited`: what was there before. */
  readonly changes?: {
    readonly title?: { readonly from: string };
    readonly body?: { readonly from: string };
    readonly base?: {
      readonly ref: { readonly from: string };
      readonly sha: { readonly from: string };
    };
  };
}

export function actionOf(happening: Happening): string | null {
  return happening.event === 'pull_request' ? happening.action : null;
}

/** Who did it; null where nobody in particular is known. */
export function actorOf(happening: Happening): number | null {
  return happening.event === 'status' ? happening.status.creatorId : happening.actorId;
}
