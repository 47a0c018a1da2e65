import type { Sql } from '#platform/database/database.ts';

import { branchOf } from '../git/names.ts';
import type { UserCaller } from '../model/caller.ts';
import { accountPermissionIn } from '../repositories/repository-access.ts';
import { refuse } from '../errors/api-error.ts';
import type { MergeBlock, Pull } from '../model/pull.ts';
import { reviewDecision } from '../reviews/review-decision.ts';
import { requiredCheckStates } from '../checks/check-state.ts';
import { teamIdsOf } from '../teams/team-member-store.ts';
import {
  type BranchProtection,
  type RefUpdateKind,
  isExempt,
  type Pusher,
  whyChecksFail,
  pushDenialReason,
  whyNotPusher,
  whyReviewsLack,
} from '../branches/protection-rules.ts';
import { findRules, listRules } from '../branches/protection-store.ts';

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
export async function mergeRules(
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

/** Refuses to move a protected branch except by merging a pull. */
export async function refuseProtectedMove(
  sql: Sql,
  repositoryId: number,
  caller: UserCaller,
  move: RefMovement,
): Promise<void> {
  const message = await protectedMoveDenial(sql, repositoryId, caller, move);
  if (message !== undefined) refuse({ kind: 'unprocessable', message });
}

/** A ref by its full name, and how it is to move. */
export interface RefMovement {
  readonly ref: string;
  readonly how: RefUpdateKind;
}

/** Why the rules of a branch forbid the caller to push this movement; undefined if they allow it. */
export async function protectedMoveDenial(
  sql: Sql,
  repositoryId: number,
  caller: UserCaller,
  { ref, how }: RefMovement,
): Promise<string | undefined> {
  const branch = branchOf(ref);
  if (branch === undefined) return undefined;
  const rules = await findRules(sql, repositoryId, branch);
  if (!rules) return undefined;
  return pushDenialReason(rules, await pusherOf(sql, repositoryId, caller.account.id), how);
}

/** What a push may not do, by full ref name, with the messages that its client shows. */
export interface PushRules {
  readonly refused: ReadonlyMap<string, string>;
  readonly undeletable: ReadonlyMap<string, string>;
  readonly fastForwardOnly: ReadonlyMap<string, string>;
}

export async function pushRulesFor(
  sql: Sql,
  repositoryId: number,
  accountId: number,
): Promise<PushRules> {
  const all = await listRules(sql, repositoryId);
  if (all.length === 0) {
    return { refused: new Map(), undeletable: new Map(), fastForwardOnly: new Map() };
  }
  const pusher = await pusherOf(sql, repositoryId, accountId);
  const refusals = (how: RefUpdateKind): Map<string, string> =>
    new Map(
      all.flatMap((rules): [string, string][] => {
        const reason = pushDenialReason(rules, pusher, how);
        const ref = `refs/heads/${rules.branch}`;
        const start = `GH006: Protected branch update failed for ${ref}.`;
        return reason === undefined ? [] : [[ref, `${start} ${reason}`]];
      }),
    );
  return {
    refused: refusals('fast-forward'),
    undeletable: refusals('deleted'),
    fastForwardOnly: refusals('forced'),
  };
}

async function pusherOf(sql: Sql, repositoryId: number, accountId: number): Promise<Pusher> {
  const permission = await accountPermissionIn(sql, accountId, repositoryId);
  const teamIds = await teamIdsOf(sql, accountId);
  return { accountId, teamIds, administers: permission === 'admin' };
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
