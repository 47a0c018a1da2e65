import type { Account } from '../model/account.ts';
import type { Json } from '../json/json-values.ts';
import type { ObjectId } from '../git/names.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Urls } from '../json/urls.ts';
import { representCommit } from './commit-json.ts';
import type { Comparison } from './compare.ts';
import type { ComparisonSide } from './comparison-side.ts';
import { representFile } from './file-json.ts';

/** The revisions of the request, as sent and as resolved. */
export interface ComparisonRequest {
  readonly repository: Repository;
  readonly range: string;
  readonly base: ComparisonSide;
  readonly head: ComparisonSide;
}

/** A comparison. Commits and files have URLs in the repository that was asked, as the service does. */
export function representComparison(
  request: ComparisonRequest,
  comparison: Comparison,
  users: ReadonlyMap<string, Account>,
  urls: Urls,
): { [field: string]: Json } {
  const { repository, range, base, head } = request;
  const name = fullName(repository);
  const html = urls.compareHtml(name, range);
  return {
    url: urls.compare(name, range),
    html_url: html,
    permalink_url: urls.compareHtml(name, `${lasting(base)}...${lasting(head)}`),
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    base_commit: representCommit(comparison.base, repository, users, urls),
    merge_base_commit: representCommit(comparison.mergeBase, repository, users, urls),
    status: comparison.status,
    ahead_by: comparison.aheadBy,
    behind_by: comparison.behindBy,
    total_commits: comparison.aheadBy,
    commits: comparison.commits.map((commit) => representCommit(commit, repository, users, urls)),
    files: comparison.files.map((file) => representFile(file, name, head.sha, urls)),
  };
}

/** An end by its commit, which stays what it is when the branch moves on. */
function lasting({ repository, sha }: { repository: Repository; sha: ObjectId }): string {
  return `${repository.owner.login}:${sha}`;
}
