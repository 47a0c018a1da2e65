import type { Sql } from '#platform/database/database.ts';

import { findRules } from '../branches/protection-store.ts';
import { type FieldError, invalid, notFound, refuse } from '../errors/api-error.ts';
import {
  type BranchName,
  branchRef,
  noObject,
  type ObjectId,
  parseBranchName,
} from '../git/names.ts';
import type { UserCaller } from '../model/caller.ts';
import type { Ports } from '../ports/ports.ts';
import { authorizeRepository, mayAdminister } from '../repositories/repository-access.ts';
import { readyRepository } from '../repositories/ready-repository.ts';
import { setDefaultBranch } from '../repositories/repository-store.ts';
import { attemptsMax, moveRef } from './move-ref.ts';
import { refsVersionsAround } from './refs-version-store.ts';
import { type BranchRenaming, renameInRows } from './rename-branch-store.ts';
import { writeWithRefs } from './write-with-refs.ts';

export interface RenameInput {
  readonly repositoryId: number;
  readonly caller: UserCaller;
  readonly from: string;
  readonly to: string;
  readonly now: number;
}

/**
 * Renames a branch with its open pulls and its rules. The new branch comes first, then the rows, then the old one goes: a crash may leave
 * both branches, but no pull without its branch.
 */
export async function renameBranch(ports: Ports, input: RenameInput): Promise<BranchName> {
  const { repositoryId, caller, now } = input;
  const git = ports.git.repository(repositoryId);
  const from = parseBranchName(input.from);
  const tip = from && (await git.readRef(branchRef(from)));
  if (!from || !tip) return notFound('Branch not found');
  const to = parseBranchName(input.to) ?? invalid(unusable(`${input.to} is not a branch name.`));
  if (to === from) return invalid(unusable('It is the name of the branch.'));
  await ports.database.read((sql) => refuseRenaming(sql, input, from, to));
  const create = { repositoryId, caller, ref: branchRef(to), old: noObject, new: tip, now };
  const made = await moveRef(ports, create);
  if (made.kind !== 'updated') {
    return invalid(unusable('There is such a branch, or one that is a folder of the name.'));
  }
  await renameRows(ports, input, { repositoryId, from, to });
  await removeOld(ports, input, { from, to, tip });
  return to;
}

/** Who may push renames branches, who administers also the default branch and those with rules. */
async function refuseRenaming(
  sql: Sql,
  { repositoryId, caller }: RenameInput,
  from: BranchName,
  to: BranchName,
): Promise<void> {
  const { defaultBranch } = await readyRepository(sql, repositoryId);
  if (await findRules(sql, repositoryId, to)) {
    invalid(unusable('A branch of that name would be protected.'));
  }
  if (from !== defaultBranch && !(await findRules(sql, repositoryId, from))) return;
  await authorizeRepository(sql, caller, { id: repositoryId }, mayAdminister);
}

async function renameRows(
  ports: Ports,
  input: RenameInput,
  renaming: BranchRenaming,
): Promise<void> {
  const { repositoryId, from, to } = renaming;
  const repository = await ports.database.read((sql) => readyRepository(sql, repositoryId));
  // As for a change of the default branch: what a clone checks out exists before the API shows it.
  if (repository.defaultBranch === from) await ports.git.repository(repositoryId).setHead(to);
  await writeWithRefs(ports, {
    repositoryId,
    versions: (sql) => refsVersionsAround(sql, repositoryId),
    plan: async () => undefined,
    async write(sql) {
      await refuseRenaming(sql, input, from, to);
      const current = await readyRepository(sql, repositoryId);
      await renameInRows(sql, renaming);
      if (current.defaultBranch === from) await setDefaultBranch(sql, repositoryId, to);
    },
  });
}

/** Takes along what was pushed to the old branch meanwhile. */
async function removeOld(
  ports: Ports,
  { repositoryId, caller, now }: RenameInput,
  { from, to, tip }: { readonly from: BranchName; readonly to: BranchName; readonly tip: ObjectId },
): Promise<void> {
  const git = ports.git.repository(repositoryId);
  let known = tip;
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const current = await git.readRef(branchRef(from));
    if (!current) return;
    if (current !== known) {
      const follow = { repositoryId, caller, ref: branchRef(to), old: known, new: current, now };
      const isForced = !(await git.isAncestor(known, current));
      const moved = await moveRef(ports, { ...follow, isForced });
      if (moved.kind !== 'updated') break;
      known = current;
    }
    const gone = { repositoryId, caller, ref: branchRef(from), old: known, new: noObject, now };
    if ((await moveRef(ports, gone)).kind === 'updated') return;
  }
  const message = `Both ${from} and ${to} are being pushed to. The pull requests are on ${to}.`;
  return refuse({ kind: 'conflict', message });
}

function unusable(message: string): FieldError {
  return { resource: 'Branch', field: 'new_name', code: 'invalid', message };
}
