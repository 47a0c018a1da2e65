import type { Sql } from '#platform/database/database.ts';

import { refuse, refuseMerge } from '../../errors/api-error.ts';
import {
  type BranchProtection,
  isExempt,
  whyChecksFail,
  whyNotPusher,
  whyReviewsLack,
} from '../../branches/protection-rules.ts';
import { findRules } from '../../branches/protection-store.ts';
import { requiredCheckStates } from '../../checks/check-state.ts';
import type { UserCaller } from '../../model/caller.ts';
import { type MergeBlock, mergeability, type Pull } from '../../model/pull.ts';
import type { Repository } from '../../model/repository.ts';
import { pusherOf } from '../../ref-updates/protection-checks.ts';
import { reviewDecision } from '../../reviews/review-decision.ts';
import type { MergeMethod } from '../merge-methods.ts';

/** A reason why a pull may not be merged now; `rule` is the message of a rule of the base branch. */
export type MergeObstacle =
  | { readonly reason: PullObstacle | 'head-outdated' }
  | { readonly reason: 'branch-protection'; readonly rule: string };

/** Every obstacle to a merge by the present rows, by whatever method (`refuseDisabledMethod`). Without a caller: for a user without exemptions. */
export async function mergeObstacles(
  sql: Sql,
  repositoryId: number,
  pull: Pull,
  caller: UserCaller | undefined,
): Promise<MergeObstacle[]> {
  const own = pullObstacles(pull);
  if (pull.state === 'closed') return own.map((reason) => ({ reason }));
  const { broken, mustBeUpToDate } = await mergeRules(sql, repositoryId, pull, caller);
  return [
    ...own.map((reason) => ({ reason })),
    ...broken.map((rule) => ({ reason: 'branch-protection', rule }) as const),
    ...(mustBeUpToDate && pull.testMerge?.behind === true
      ? [{ reason: 'head-outdated' } as const]
      : []),
  ];
}

/** The first of the reasons in the pull itself. */
export function refuseUnmergeable(pull: Pull): void {
  const [reason] = pullObstacles(pull);
  if (reason !== undefined) refuseMerge(reason);
}

/** Methods that the settings of the repository do not allow. */
export function refuseDisabledMethod(repository: Repository, method: MergeMethod): void {
  const rules = {
    merge: [repository.allowMergeCommit, 'merge-commits-disabled'],
    squash: [repository.allowSquashMerge, 'squash-merges-disabled'],
    rebase: [repository.allowRebaseMerge, 'rebase-merges-disabled'],
  } as const;
  const [allowed, reason] = rules[method];
  if (!allowed) refuseMerge(reason);
}

type PullObstacle = 'already-merged' | 'head-missing' | 'closed' | 'draft' | 'conflicts';

function pullObstacles(pull: Pull): PullObstacle[] {
  if (pull.merge) return ['already-merged'];
  if (pull.state === 'closed') {
    return [pull.head.repositoryId === null ? 'head-missing' : 'closed'];
  }
  return [
    ...(pull.draft ? (['draft'] as const) : []),
    ...(mergeability(pull) === 'conflicting' ? (['conflicts'] as const) : []),
  ];
}

/** Why the rules of the base branch block the merge of a pull, independent of the viewer. */
export async function protectionOf(
  sql: Sql,
  repositoryId: number,
  pull: Pull,
): Promise<MergeBlock> {
  const rules = await findRules(sql, repositoryId, pull.base.ref);
  if (!rules) return { blockedBecause: undefined, behind: false };
  return {
    blockedBecause: (await unmetRules(sql, repositoryId, rules, pull))[0],
    behind: (rules.statusChecks?.strict ?? false) && (pull.testMerge?.behind ?? false),
  };
}

/** Refuses a merge that the rules of the base branch forbid this caller, with the first rule that does. */
export async function refuseBlockedMerge(
  sql: Sql,
  repositoryId: number,
  pull: Pull,
  caller: UserCaller,
  withoutExemptions = false,
): Promise<{ readonly mustBeUpToDate: boolean }> {
  const { broken, mustBeUpToDate } = await mergeRules(
    sql,
    repositoryId,
    pull,
    caller,
    withoutExemptions,
  );
  const [rule] = broken;
  if (rule !== undefined) refuse({ kind: 'not-mergeable', reason: 'branch-protection', rule });
  return { mustBeUpToDate };
}

/** The messages of all rules of the base branch that forbid the merge; without a caller, no exemption holds. */
async function mergeRules(
  sql: Sql,
  repositoryId: number,
  pull: Pull,
  caller: UserCaller | undefined,
  withoutExemptions = false,
): Promise<{ readonly broken: readonly string[]; readonly mustBeUpToDate: boolean }> {
  const rules = await findRules(sql, repositoryId, pull.base.ref);
  if (!rules) return { broken: [], mustBeUpToDate: false };
  const pusher = caller && (await pusherOf(sql, repositoryId, caller.account.id));
  if (pusher && !withoutExemptions && isExempt(rules, pusher)) {
    return { broken: [], mustBeUpToDate: false };
  }
  const denied = pusher && whyNotPusher(rules, pusher);
  return {
    broken: [
      ...(denied === undefined ? [] : [denied]),
      ...(await unmetRules(sql, repositoryId, rules, pull)),
    ],
    mustBeUpToDate: rules.statusChecks?.strict ?? false,
  };
}

/** In the order in which a merge is refused: checks, changes requested, approvals. */
async function unmetRules(
  sql: Sql,
  repositoryId: number,
  rules: BranchProtection,
  pull: Pull,
): Promise<string[]> {
  const required = rules.statusChecks?.checks ?? [];
  const failing = whyChecksFail(
    await requiredCheckStates(sql, repositoryId, pull.head.sha, required),
  );
  const unmet = failing === undefined ? [] : [failing];
  if (!rules.reviews) return unmet;
  const decision = await reviewDecision(sql, repositoryId, pull, rules.reviews.dismissStale);
  if (decision.changesRequested) {
    unmet.push('Changes were requested by a reviewer with write access.');
  }
  const missing = whyReviewsLack(rules.reviews, decision.approvals);
  return missing === undefined ? unmet : [...unmet, missing];
}
