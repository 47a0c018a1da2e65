import { notFound } from '../errors/api-error.ts';
import { namedBranch } from '../branches/named-branch.ts';
import type { GitRepository } from '../git/git.ts';
import { branchRef, type ObjectId } from '../git/names.ts';
import type { Repository } from '../model/repository.ts';

/** The commit whose contents are asked for, and the words the client has for it. */
export interface ContentSource {
  readonly ref: string;
  readonly commit: ObjectId;
}

/** The revision of the `ref` parameter, or the default branch. */
export async function contentSource(
  git: GitRepository,
  repository: Repository,
  query: URLSearchParams,
): Promise<ContentSource> {
  const asked = query.get('ref') || undefined;
  const ref = asked ?? repository.defaultBranch;
  const branch = await namedBranch(git, ref);
  const tip = branch && (await git.readRef(branchRef(branch)));
  const commit = tip ?? (await git.resolveCommit(ref));
  if (commit) return { ref, commit };
  return notFound(
    asked === undefined ? 'This repository is empty.' : `No commit found for the ref ${asked}`,
  );
}
