import type { UserCaller } from '../model/caller.ts';
import { notFound, refuse } from '../errors/api-error.ts';
import { resolveBranchName } from '../branches/resolve-branch-name.ts';
import type { GitRepository, Signature, TreeChange } from '../git/git.ts';
import {
  branchRef,
  type BranchName,
  noObject,
  type ObjectId,
  parseTreePath,
  type TreePath,
} from '../git/names.ts';
import { isEmpty } from '../commits/resolve-revision.ts';
import { attemptsMax, moveRef } from '../ref-updates/move-ref.ts';
import type { Ports } from '../ports/ports.ts';
import type { Repository } from '../model/repository.ts';
import { checkExpectation } from './check-expectation.ts';

export interface ChangeFileInput {
  readonly repository: Repository;
  readonly caller: UserCaller;
  readonly path: string;
  /** Where the file was, if it moves. */
  readonly movedFrom?: string;
  /** The default branch where it is undefined. */
  readonly branch: string | undefined;
  readonly message: string;
  readonly author: Signature;
  readonly committer: Signature;
  /** The blob that the caller replaces; undefined for a file that must not be there yet. */
  readonly sha: string | undefined;
  /** null: the file goes. */
  readonly content: Buffer | null;
  readonly now: number;
}

export interface ChangedFile {
  readonly path: TreePath;
  readonly branch: BranchName;
  readonly commit: ObjectId;
  /** undefined when the file is gone. */
  readonly blob: ObjectId | undefined;
  readonly created: boolean;
}

/** Commits a change of one file to a branch. If the branch moves meanwhile, it is read again: only the file counts. */
export async function changeFile(ports: Ports, input: ChangeFileInput): Promise<ChangedFile> {
  const path = parseTreePath(input.path) ?? refuseMalformed();
  const from =
    input.movedFrom === undefined ? path : (parseTreePath(input.movedFrom) ?? refuseMalformed());
  const name = input.branch ?? input.repository.defaultBranch;
  const git = ports.git.repository(input.repository.id);
  const branch = (await resolveBranchName(git, name)) ?? refuseAbsentBranch(name);
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const changed = await attemptChange(ports, input, { from, path, branch });
    if (changed) return changed;
  }
  return refuse({
    kind: 'conflict',
    message: `Concurrent changes to ${branch}. Nothing was committed; try again.`,
  });
}

/** undefined when the branch moved between looking and writing. */
async function attemptChange(
  ports: Ports,
  input: ChangeFileInput,
  { from, path, branch }: { from: TreePath; path: TreePath; branch: BranchName },
): Promise<ChangedFile | undefined> {
  const { repository, caller, now } = input;
  const git = ports.git.repository(repository.id);
  const ref = branchRef(branch);
  const tip = await git.readRef(ref);
  if (!tip && (input.content === null || !(await isEmpty(git, repository))))
    refuseAbsentBranch(branch);
  const mode = await checkExpectation(git, tip, from, input);
  if (from !== path) await checkExpectation(git, tip, path, { ...input, sha: undefined });
  const blob = input.content === null ? undefined : await git.writeBlob(input.content);
  const change = { path, mode: mode ?? '100644', id: blob ?? null } as const;
  const left = from === path ? [] : [{ ...change, path: from, id: null }];
  const commit = await commitChange(git, tip, input, [...left, change]);
  const move = { repositoryId: repository.id, caller, ref, old: tip ?? noObject, new: commit, now };
  const result = await moveRef(ports, move);
  if (result.kind !== 'updated') return undefined;
  return { path, branch, commit, blob, created: mode === undefined };
}

async function commitChange(
  git: GitRepository,
  tip: ObjectId | undefined,
  input: ChangeFileInput,
  changes: readonly TreeChange[],
): Promise<ObjectId> {
  const tree = await git.writeTree(tip, changes);
  if (tree.kind !== 'written') {
    throw new Error(`${tree.path} of repository ${git.id} was checked and cannot be written`);
  }
  const { author, committer, message } = input;
  return git.writeCommit({
    tree: tree.id,
    parents: tip ? [tip] : [],
    author,
    committer,
    message,
  });
}

function refuseMalformed(): never {
  return refuse({ kind: 'unprocessable', message: 'path contains a malformed path component' });
}

function refuseAbsentBranch(name: string): never {
  return notFound(`Branch ${name} not found`);
}
