/** Why an account gets notifications about an issue or pull. */
export type NotificationReason =
  | 'assign'
  | 'author'
  | 'comment'
  /** The account subscribed to this thread. */
  | 'manual'
  | 'mention'
  | 'review_requested'
  /** The account watches the repository. */
  | 'subscribed';

/** The notifications of an account about one issue or pull. */
export interface NotificationThread {
  readonly id: number;
  readonly accountId: number;
  readonly repositoryId: number;
  readonly reason: NotificationReason;
  readonly unread: boolean;
  /** The account gets no further notifications. */
  readonly ignored: boolean;
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
