import { notFound } from '../errors/api-error.ts';
import type { BranchRules, Pushers, ReviewRules, StatusChecks } from './protection-rules.ts';

/** The demand on statuses, or 404 in the words clients know where none is made. */
export function requiredChecks({ statusChecks }: BranchRules): StatusChecks {
  return statusChecks ?? notFound('Required status checks not enabled');
}

export function requiredReviews({ reviews }: BranchRules): ReviewRules {
  return reviews ?? notFound('Required pull request reviews not enabled');
}

export function requiredPushers({ pushers }: BranchRules): Pushers {
  return pushers ?? notFound('Push restrictions not enabled');
}

export type ListChange = 'add' | 'set' | 'remove';

/** A list after items were added to it, put in its place or taken out of it; nothing is in it twice. */
export function changedList<Item>(
  before: readonly Item[],
  change: ListChange,
  items: readonly Item[],
): Item[] {
  switch (change) {
    case 'add':
      return [...new Set([...before, ...items])];
    case 'set':
      return [...new Set(items)];
    case 'remove':
      return before.filter((item) => !items.includes(item));
  }
}
