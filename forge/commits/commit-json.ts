import { representAccount } from '../accounts/account-json.ts';
import type { Account } from '../model/account.ts';
import { caseless } from '../model/account.ts';
import { type Json, timestamp } from '../json/json-values.ts';
import type { DiffStat } from '../git/file-change.ts';
import type { Commit, Signature } from '../git/git.ts';
import { nodeId } from '../json/node-id.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Urls } from '../json/urls.ts';

type Representation = { [field: string]: Json };

/** A commit as lists have it (docs/specification/forge.md 9.9). `users` is keyed by lower-case e-mail address. */
export function representCommit(
  commit: Commit,
  repository: Repository,
  users: ReadonlyMap<string, Account>,
  urls: Urls,
): Representation {
  const name = fullName(repository);
  const url = urls.commit(name, commit.id);
  return {
    sha: commit.id,
    node_id: nodeId('Commit', `${repository.id}:${commit.id}`),
    commit: {
      author: representSignature(commit.author),
      committer: representSignature(commit.committer),
      message: commit.message,
      tree: { sha: commit.tree, url: urls.gitObject(name, 'trees', commit.tree) },
      url: urls.gitObject(name, 'commits', commit.id),
      comment_count: 0,
      verification: representVerification(commit),
    },
    url,
    html_url: urls.commitHtml(name, commit.id),
    comments_url: `${url}/comments`,
    author: representUser(commit.author, users, urls),
    committer: representUser(commit.committer, users, urls),
    parents: commit.parents.map((sha) => ({
      sha,
      url: urls.commit(name, sha),
      html_url: urls.commitHtml(name, sha),
    })),
  };
}

/** `stats` of a single commit. */
export function representStat({ additions, deletions }: DiffStat): Representation {
  return { total: additions + deletions, additions, deletions };
}

export function representSignature(signature: Signature): Representation {
  return {
    name: signature.name,
    email: signature.email,
    date: timestamp(signature.seconds * 1000),
  };
}

/** Signatures are shown, not checked: no account has keys here, so none is verified. */
export function representVerification(
  commit: Pick<Commit, 'signature' | 'payload'>,
): Representation {
  return {
    verified: false,
    reason: verificationReason(commit.signature),
    signature: commit.signature ?? null,
    payload: commit.payload ?? null,
    verified_at: null,
  };
}

function verificationReason(signature: Commit['signature']): string {
  if (signature === undefined) return 'unsigned';
  return signature === null ? 'malformed_signature' : 'unknown_key';
}

/** The addresses by which the users of these commits are found. */
export function emailsOf(commits: readonly Commit[]): string[] {
  return commits.flatMap((commit) => [commit.author.email, commit.committer.email]);
}

function representUser(
  signature: Signature,
  users: ReadonlyMap<string, Account>,
  urls: Urls,
): Json {
  const account = users.get(caseless(signature.email));
  return account ? representAccount(account, urls) : null;
}
