import type { RequiredContext } from '../model/check-run.ts';
import type { StatusState } from '../model/commit-status.ts';

/** The rules of a protected branch. */
export interface BranchProtection {
  readonly branch: string;
  readonly statusChecks: StatusChecks | undefined;
  readonly reviews: ReviewRules | undefined;
  /** Whether the demands are made of administrators of the repository too. */
  readonly enforceAdmins: boolean;
  /** Who may push; undefined: everyone with push access. */
  readonly pushers: Pushers | undefined;
  readonly allowForcePushes: boolean;
  readonly allowDeletions: boolean;
}

/** By the ids of accounts and teams. */
export interface Pushers {
  readonly users: readonly number[];
  readonly teams: readonly number[];
}

export interface StatusChecks {
  /** Whether heads must have all commits of the branch before they are merged. */
  readonly strict: boolean;
  readonly checks: readonly RequiredContext[];
}

/** A context that several Apps must report is one in lists of contexts. */
export function contextsOf(checks: readonly RequiredContext[]): string[] {
  return [...new Set(checks.map(({ context }) => context))];
}

export interface ReviewRules {
  readonly approvals: number;
  /** Only approvals of the present head count. */
  readonly dismissStale: boolean;
}

/** Contexts that the protection of a branch requires. */
export const contextsMax = 100;
/** Approving reviews that it requires. */
export const approvalsMax = 6;
/** People, and teams, that it lets push, of each. */
export const pushersMax = 100;

/** The user who moves a branch. */
export interface Pusher {
  readonly accountId: number;
  /** The ids of the teams it is in. */
  readonly teamIds: readonly number[];
  readonly administers: boolean;
}

export type RefUpdateKind = 'fast-forward' | 'forced' | 'deleted';

/** Whether the rules for pulls and pushes do not apply to this user. */
export function isExempt(rules: BranchProtection, pusher: Pusher): boolean {
  return pusher.administers && !rules.enforceAdmins;
}

/**
 * Why only the merge of a pull may move the branch; undefined if a push may. As on GitHub, forced pushes and deletions are
 * refused for all users, including administrators.
 */
export function pushDenialReason(
  rules: BranchProtection,
  pusher: Pusher,
  how: RefUpdateKind,
): string | undefined {
  if (how === 'deleted' && !rules.allowDeletions) return 'Cannot delete this branch';
  if (how === 'forced' && !rules.allowForcePushes) return 'Cannot force-push to this branch';
  if (isExempt(rules, pusher)) return undefined;
  const checks = rules.statusChecks?.checks ?? [];
  return (
    whyNotPusher(rules, pusher) ??
    whyChecksFail(checks.map(({ context }) => ({ context, state: undefined }))) ??
    (rules.reviews && whyReviewsLack(rules.reviews, 0))
  );
}

export function whyNotPusher(rules: BranchProtection, pusher: Pusher): string | undefined {
  const { pushers } = rules;
  return pushers && !isAmong(pushers, pusher)
    ? "You're not authorized to push to this branch. Visit https://help.github.com/articles/about-protected-branches/ for more information."
    : undefined;
}

function isAmong({ users, teams }: Pushers, pusher: Pusher): boolean {
  return users.includes(pusher.accountId) || teams.some((id) => pusher.teamIds.includes(id));
}

/** A required context with its latest state; undefined when it has none. */
export interface RequiredCheck {
  readonly context: string;
  readonly state: StatusState | undefined;
}

export function whyChecksFail(checks: readonly RequiredCheck[]): string | undefined {
  const unmet = checks.filter((check) => check.state !== 'success');
  const [first] = unmet;
  if (!first) return undefined;
  if (unmet.length === 1)
    return `Required status check "${first.context}" is ${wordFor(first.state)}.`;
  const counts = new Map<string, number>();
  for (const { state } of unmet) counts.set(wordFor(state), (counts.get(wordFor(state)) ?? 0) + 1);
  const some = `${unmet.length} of ${checks.length} required status checks`;
  if (counts.size === 1) return `${some} are ${wordFor(first.state)}.`;
  const parts = [...counts].map(([word, count]) => `${count} ${word}`);
  return `${some} have not succeeded: ${parts.join(', ')}.`;
}

export function whyReviewsLack(rules: ReviewRules, approvals: number): string | undefined {
  if (approvals >= rules.approvals) return undefined;
  const wanted =
    rules.approvals === 1 ? '1 approving review is' : `${rules.approvals} approving reviews are`;
  return `At least ${wanted} required by reviewers with write access.`;
}

/** Who needs passing status checks, by the value that older clients use. */
export function enforcementLevel(
  rules: BranchProtection | undefined,
): 'off' | 'non_admins' | 'everyone' {
  if (!rules?.statusChecks) return 'off';
  return rules.enforceAdmins ? 'everyone' : 'non_admins';
}

function wordFor(state: StatusState | undefined): string {
  switch (state) {
    case undefined:
      return 'expected';
    case 'error':
    case 'failure':
      return 'failing';
    case 'pending':
    case 'success':
      return state;
  }
}
