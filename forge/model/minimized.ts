/** Why a comment is hidden, by the classifier that says so: as GitHub names both. */
export const minimizedReasons = {
  ABUSE: 'abuse',
  DUPLICATE: 'duplicate',
  LOW_QUALITY: 'low-quality',
  OFF_TOPIC: 'off-topic',
  OUTDATED: 'outdated',
  RESOLVED: 'resolved',
  SPAM: 'spam',
} as const;

export type MinimizedReason = (typeof minimizedReasons)[keyof typeof minimizedReasons];

/** Something that can be hidden. */
export interface Minimizable {
  /** null: it is shown. */
  readonly minimizedReason: MinimizedReason | null;
}
