import { resolveBranchName } from '../branches/resolve-branch-name.ts';
import { invalid, refuse } from '../errors/api-error.ts';
import { parseWritableRef } from '../git/commands/writable-refs.ts';
import type { GitRepository } from '../git/git.ts';
import { branchRef, noObject, type ObjectId, type RefName } from '../git/names.ts';
import type { UserCaller } from '../model/caller.ts';
import type { Repository } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { moveRef } from '../ref-updates/move-ref.ts';
import { fieldError } from './release-input.ts';

export interface TagOfRelease {
  readonly repository: Repository;
  readonly caller: UserCaller;
  readonly tagName: string;
  readonly targetCommitish: string;
  readonly now: number;
}

/** Creates the tag of a release if it does not exist; returns the time of its commit, in milliseconds. */
export async function ensureTag(ports: Ports, input: TagOfRelease): Promise<number> {
  const { repository, caller, tagName, targetCommitish, now } = input;
  const git = ports.git.repository(repository.id);
  const ref = tagRef(tagName) ?? invalid(fieldError('invalid', 'tag_name'));
  if ((await git.readRef(ref)) === undefined) {
    const commit = (await targetCommit(git, targetCommitish)) ?? (await refuseTarget(git));
    const move = { repositoryId: repository.id, caller, ref, old: noObject, new: commit, now };
    // `moved`: another request has created it meanwhile.
    if ((await moveRef(ports, move)).kind === 'name-conflict') {
      const message = 'tag_name conflicts with the name of an existing tag';
      invalid({ ...fieldError('custom', 'tag_name'), message });
    }
  }
  const commit = await git.resolveCommit(ref);
  const described = commit && (await git.readCommit(commit));
  return described ? described.committer.seconds * 1000 : now;
}

/** The commit of a tag, if there is one. */
export async function tagCommit(
  git: GitRepository,
  tagName: string,
): Promise<ObjectId | undefined> {
  const ref = tagRef(tagName);
  return ref && git.resolveCommit(ref);
}

/** The tip of a branch, or a commit. */
export async function targetCommit(
  git: GitRepository,
  target: string,
): Promise<ObjectId | undefined> {
  const branch = await resolveBranchName(git, target);
  const tip = branch && (await git.readRef(branchRef(branch)));
  return tip ?? git.resolveCommit(target);
}

async function refuseTarget(git: GitRepository): Promise<never> {
  const isEmpty = (await git.listRefs('refs/heads/')).length === 0;
  if (isEmpty) return refuse({ kind: 'unprocessable', message: 'Repository is empty.' });
  return invalid(fieldError('invalid', 'target_commitish'));
}

function tagRef(tagName: string): RefName | undefined {
  return parseWritableRef(`refs/tags/${tagName}`);
}
