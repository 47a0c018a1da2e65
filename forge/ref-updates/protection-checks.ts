import type { Sql } from '#platform/database/database.ts';

import { branchOf } from '../git/names.ts';
import type { UserCaller } from '../model/caller.ts';
import { getRepository } from '../repositories/get-repository.ts';
import { accountPermissionIn } from '../repositories/repository-access.ts';
import { refuse } from '../errors/api-error.ts';
import { teamIdsOf } from '../teams/team-member-store.ts';
import { type RefUpdateKind, type Pusher, pushDenialReason } from '../branches/protection-rules.ts';
import { findRules, listRules } from '../branches/protection-store.ts';

/** Refuses to move a protected branch except by merging a pull, and to delete the default branch. */
export async function refuseProtectedMove(
  sql: Sql,
  repositoryId: number,
  caller: UserCaller,
  move: ProtectedMove,
): Promise<void> {
  const message = await protectedMoveDenial(sql, repositoryId, caller, move);
  if (message !== undefined) refuse({ kind: 'unprocessable', message });
}

/** A ref by its full name, and how it is to move. */
export interface ProtectedMove {
  readonly ref: string;
  readonly how: RefUpdateKind;
}

/** Clones could not check out files. */
const defaultBranchDeletion = 'Cannot delete the default branch: change the default branch first.';

/** Why the caller may not push this movement of a branch; undefined if it may. */
export async function protectedMoveDenial(
  sql: Sql,
  repositoryId: number,
  caller: UserCaller,
  { ref, how }: ProtectedMove,
): Promise<string | undefined> {
  const branch = branchOf(ref);
  if (branch === undefined) return undefined;
  if (how === 'deleted' && branch === (await getRepository(sql, repositoryId)).defaultBranch) {
    return defaultBranchDeletion;
  }
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

/** `deletes`: the push deletes refs. git itself does not let it delete the branch of `HEAD`, and says so first. */
export async function pushRulesFor(
  sql: Sql,
  repositoryId: number,
  accountId: number,
  deletes: boolean,
): Promise<PushRules> {
  const rules = await protectionsFor(sql, repositoryId, accountId);
  if (!deletes) return rules;
  const { defaultBranch } = await getRepository(sql, repositoryId);
  const undeletable = new Map(rules.undeletable);
  undeletable.set(`refs/heads/${defaultBranch}`, defaultBranchDeletion);
  return { ...rules, undeletable };
}

async function protectionsFor(
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

/** What the rules of branches ask about who pushes. */
export async function pusherOf(sql: Sql, repositoryId: number, accountId: number): Promise<Pusher> {
  const permission = await accountPermissionIn(sql, accountId, repositoryId);
  const teamIds = await teamIdsOf(sql, accountId);
  return { accountId, teamIds, administers: permission === 'admin' };
}
