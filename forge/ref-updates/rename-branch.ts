import type { Sql } from '#platform/database/database.ts';

import { findRules } from '../branches/protection-store.ts';
import { type FieldError, invalid, notFound, refuse } from '../errors/api-error.ts';
import { type BranchName, branchRef, noObject, parseBranchName } from '../git/names.ts';
import type { UserCaller } from '../model/caller.ts';
import type { Ports } from '../ports/ports.ts';
import { getRepository } from '../repositories/get-repository.ts';
import { authorizeRepository, mayAdminister, mayPush } from '../repositories/repository-access.ts';
import { changeRefs } from './change-refs.ts';
import { attemptsMax } from './move-ref.ts';

export interface RenameInput {
  readonly repositoryId: number;
  readonly caller: UserCaller;
  readonly from: string;
  readonly to: string;
  readonly now: number;
}

/**
 * Renames a branch with its open pulls and its rules: git creates the new branch and deletes the old one in one transaction of
 * refs, whose intent lets the rows follow, also after a crash.
 */
export async function renameBranch(ports: Ports, input: RenameInput): Promise<BranchName> {
  const { repositoryId, caller, now } = input;
  const git = ports.git.repository(repositoryId);
  const from = parseBranchName(input.from) ?? notFound('Branch not found');
  const to = parseBranchName(input.to) ?? invalid(unusable(`${input.to} is not a branch name.`));
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const tip = (await git.readRef(branchRef(from))) ?? notFound('Branch not found');
    if (await git.readRef(branchRef(to))) return invalid(unusable('There is such a branch.'));
    const result = await changeRefs(ports, {
      repositoryId,
      refs: [
        { ref: branchRef(to), old: noObject, new: tip },
        { ref: branchRef(from), old: tip, new: noObject },
      ],
      rename: { from, to, tip },
      now,
      actorId: caller.account.id,
      check: (sql) => authorizeRenaming(sql, input, from, to),
    });
    if (result.kind === 'updated') return to;
    if (result.kind === 'name-conflict') {
      return invalid(unusable('A branch has a folder of that name, or is one of its folders.'));
    }
  }
  const message = `${from} is being pushed to. Try the renaming again.`;
  return refuse({ kind: 'conflict', message });
}

/** Who may push renames branches, who administers also the default branch and those with rules. */
async function authorizeRenaming(
  sql: Sql,
  { repositoryId, caller }: RenameInput,
  from: BranchName,
  to: BranchName,
): Promise<void> {
  const { defaultBranch } = await getRepository(sql, repositoryId);
  if (await findRules(sql, repositoryId, to)) {
    invalid(unusable('A branch of that name would be protected.'));
  }
  const isOrdinary = from !== defaultBranch && !(await findRules(sql, repositoryId, from));
  const policy = isOrdinary ? mayPush : mayAdminister;
  await authorizeRepository(sql, caller, { id: repositoryId }, policy);
}

function unusable(message: string): FieldError {
  return { resource: 'Branch', field: 'new_name', code: 'invalid', message };
}
