import { requiredCommit } from '../commits/required-commit.ts';
import type { Json } from '../json/json-values.ts';
import type { GitRepository } from '../git/git.ts';
import { representGitCommit } from '../git-data/git-commit-json.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Urls } from '../json/urls.ts';
import type { ChangedFile } from './change-file.ts';
import { representEntry } from './content-json.ts';

/** A changed file and its commit; `content` is null when the file is gone. */
export async function describeChange(
  git: GitRepository,
  changed: ChangedFile,
  size: number,
  repository: Repository,
  urls: Urls,
): Promise<{ content: { [member: string]: Json } | null; commit: Json }> {
  const { path, blob, branch } = changed;
  const commit = await requiredCommit(git, changed.commit);
  const place = { fullName: fullName(repository), ref: branch, urls };
  return {
    content: blob ? representEntry({ kind: 'file', path, id: blob, size }, place) : null,
    commit: representGitCommit(commit, repository, urls),
  };
}
