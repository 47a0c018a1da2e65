/**
 * Why an account gets notifications about an issue or pull, the strongest reason first. `manual`: it subscribed to this thread;
 * `subscribed`: it watches the repository.
 */
export const notificationReasons = [
  'mention',
  'review_requested',
  'assign',
  'author',
  'comment',
  'manual',
  'subscribed',
] as const;

export type NotificationReason = (typeof notificationReasons)[number];

/**
 * Stored by their index. An account that has unsubscribed gets notifications again once it comments, is mentioned, assigned, or asked for
 * a review; one that ignores the thread gets none.
 */
export const threadStates = ['subscribed', 'ignored', 'unsubscribed'] as const;

export type ThreadState = (typeof threadStates)[number];

/** What an account gets of an issue or pull. */
export type ThreadSubscription =
  | { readonly state: 'subscribed'; readonly reason: NotificationReason }
  | { readonly state: 'unsubscribed' }
  | { readonly state: 'ignored'; readonly of: 'thread' | 'repository' };

/** The notifications of an account about one issue or pull. */
export interface NotificationThread {
  readonly id: number;
  readonly accountId: number;
  readonly repositoryId: number;
  readonly reason: NotificationReason;
  readonly unread: boolean;
  readonly state: ThreadState;
  readonly issueId: number;
  readonly subject: { readonly number: number; readonly title: string; readonly pull: boolean };
  /** Milliseconds since the epoch. */
  readonly subscribedAt: number;
  readonly updatedAt: number;
  readonly lastReadAt: number | null;
}

export interface NotificationFilter {
  readonly all: boolean;
  readonly participating: boolean;
  readonly since: number | undefined;
  readonly before: number | undefined;
  /** Of one repository only. */
  readonly repositoryId?: number;
}
