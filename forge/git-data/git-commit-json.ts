import { representSignature, representVerification } from '../commits/commit-json.ts';
import type { Json } from '../json/json-values.ts';
import type { Commit } from '../git/git.ts';
import { nodeId } from '../json/node-id.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Urls } from '../json/urls.ts';

/** A commit as git has it: names and addresses, no users. */
export function representGitCommit(
  commit: Commit,
  repository: Repository,
  urls: Urls,
): { [member: string]: Json } {
  const name = fullName(repository);
  return {
    sha: commit.id,
    node_id: nodeId('Commit', `${repository.id}:${commit.id}`),
    url: urls.gitObject(name, 'commits', commit.id),
    html_url: urls.commitHtml(name, commit.id),
    author: representSignature(commit.author),
    committer: representSignature(commit.committer),
    tree: { sha: commit.tree, url: urls.gitObject(name, 'trees', commit.tree) },
    message: commit.message,
    parents: commit.parents.map((sha) => ({
      sha,
      url: urls.gitObject(name, 'commits', sha),
      html_url: urls.commitHtml(name, sha),
    })),
    verification: representVerification(commit),
  };
}
