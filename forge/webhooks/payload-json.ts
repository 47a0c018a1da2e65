import { representAccount } from '../accounts/account-json.ts';
import type { Account } from '../model/account.ts';
import { representOrganization } from '../accounts/organization-json.ts';
import { type Json, timestamp } from '../json/json-values.ts';
import type { FileChange } from '../git/file-change.ts';
import type { Commit } from '../git/git.ts';
import { noObject } from '../git/names.ts';
import { representRepository } from '../repositories/repository-json.ts';
import { fullName, type Repository } from '../model/repository.ts';
import { representContextStatus } from '../statuses/status-json.ts';
import type { CommitStatus } from '../model/commit-status.ts';
import type { Urls } from '../json/urls.ts';
import type { RefEvent } from '../model/domain-event.ts';

type Representation = { [field: string]: Json };

/** The last fields of every payload. */
export function representContext(
  repository: Repository,
  sender: Account,
  urls: Urls,
): Representation {
  return {
    repository: representRepository(repository, urls),
    ...(repository.owner.kind === 'organization'
      ? { organization: representOrganization(repository.owner, urls) }
      : {}),
    sender: representAccount(sender, urls),
  };
}

export interface PushedCommit {
  readonly commit: Commit;
  readonly files: readonly FileChange[];
  /** No other branch or tag contained it before. */
  readonly distinct: boolean;
}

export interface PushDetails {
  /** Oldest first. */
  readonly commits: readonly PushedCommit[];
  readonly head: PushedCommit | undefined;
  readonly baseRef: string | null;
  readonly forced: boolean;
  readonly pusher: Account | undefined;
}

export function representPush(
  domainEvent: RefEvent,
  { commits, head, baseRef, forced, pusher }: PushDetails,
  repository: Repository,
  urls: Urls,
): Representation {
  const { ref, before, after } = domainEvent;
  const name = fullName(repository);
  return {
    ref,
    before,
    after,
    created: before === noObject,
    deleted: after === noObject,
    forced,
    base_ref: baseRef,
    compare:
      before === noObject || after === noObject
        ? urls.commitHtml(name, short(after === noObject ? before : after))
        : urls.compareHtml(name, `${short(before)}...${short(after)}`),
    commits: commits.map((pushed) => representPushedCommit(pushed, name, urls)),
    head_commit: head ? representPushedCommit(head, name, urls) : null,
    pusher: pusher ? { name: pusher.login, email: pusher.email } : { name: 'none' },
  };
}

export function representRefLife({ ref, event }: RefEvent, repository: Repository): Representation {
  const branch = ref.startsWith('refs/heads/');
  return {
    ref: ref.slice((branch ? 'refs/heads/' : 'refs/tags/').length),
    ref_type: branch ? 'branch' : 'tag',
    ...(event === 'create'
      ? { master_branch: repository.defaultBranch, description: repository.description }
      : {}),
    pusher_type: 'user',
  };
}

/** `branches` are those whose tip the commit is. */
export function representStatusChange(
  status: CommitStatus,
  commit: Json,
  branches: Json[],
  repository: Repository,
  urls: Urls,
): Representation {
  const name = fullName(repository);
  const { id, context, description, state, target_url, avatar_url, created_at, updated_at } =
    representContextStatus(status, repository, urls);
  return {
    id: id ?? null,
    sha: status.sha,
    name,
    avatar_url: avatar_url ?? null,
    target_url: target_url ?? null,
    context: context ?? null,
    description: description ?? null,
    state: state ?? null,
    commit,
    branches,
    created_at: created_at ?? null,
    updated_at: updated_at ?? null,
  };
}

export function representPing(hook: Json, webhookId: number): Representation {
  return { zen: 'What is answered is what happened.', hook_id: webhookId, hook };
}

function short(sha: string): string {
  return sha.slice(0, 12);
}

function representPushedCommit(
  { commit, files, distinct }: PushedCommit,
  name: string,
  urls: Urls,
): Representation {
  const { author, committer } = commit;
  const paths = (...kinds: FileChange['status'][]): string[] =>
    files.filter(({ status }) => kinds.includes(status)).map(({ path }) => path);
  const moved = files.flatMap(({ status, previousPath }) =>
    status === 'renamed' && previousPath !== undefined ? [previousPath] : [],
  );
  return {
    id: commit.id,
    tree_id: commit.tree,
    distinct,
    message: commit.message,
    timestamp: timestamp(committer.seconds * 1000),
    url: urls.commitHtml(name, commit.id),
    author: { name: author.name, email: author.email },
    committer: { name: committer.name, email: committer.email },
    added: paths('added', 'copied', 'renamed'),
    removed: [...paths('removed'), ...moved],
    modified: paths('modified', 'changed'),
  };
}
