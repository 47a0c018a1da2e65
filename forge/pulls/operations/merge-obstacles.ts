import type { Sql } from '#platform/database/database.ts';

import { refuseMerge } from '../../errors/api-error.ts';
import type { UserCaller } from '../../model/caller.ts';
import { mergeability, type Pull } from '../../model/pull.ts';
import type { Repository } from '../../model/repository.ts';
import { mergeRules } from '../../ref-updates/protection-checks.ts';
import type { MergeMethod } from '../merge-methods.ts';

/** A reason why a pull may not be merged now; `rule` is the message of a rule of the base branch. */
export type MergeObstacle =
  | { readonly reason: PullObstacle | 'head-outdated' }
  | { readonly reason: 'branch-protection'; readonly rule: string };

/** Every obstacle to a merge by the present rows. Without a caller: for a user without exemptions. */
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
