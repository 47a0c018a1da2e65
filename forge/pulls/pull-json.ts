import { representAccount } from '../accounts/account-json.ts';
import { type Json, timestamp } from '../json/json-values.ts';
import type { Format } from '../http/media-types.ts';
import { representMarkup } from '../http/markup.ts';
import { type AttributeRelations, representAttributes } from '../issues/issue-attributes.ts';
import { nodeId } from '../json/node-id.ts';
import type { Permission } from '../model/permission.ts';
import { representEmbeddedRepository } from '../repositories/repository-json.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { CombinedState } from '../model/commit-status.ts';
import { representTeam } from '../teams/team-json.ts';
import type { Team } from '../model/team.ts';
import type { Urls } from '../json/urls.ts';
import type { AuthorAssociation } from '../repositories/association-store.ts';
import { autoMergeText } from './merge-methods.ts';
import {
  headLabel,
  mergeability,
  mergeableState,
  mergeCommitSha,
  type MergeBlock,
  type Pull,
} from '../model/pull.ts';

type Representation = { [field: string]: Json };

/** Other resources that the representation of a pull embeds. */
export interface PullRelations extends AttributeRelations {
  /** The base repository. */
  readonly repository: Repository;
  /** Requested reviewers, by the id of the pull. */
  readonly reviewerIds: ReadonlyMap<number, readonly number[]>;
  /** Requested teams, by the id of the pull. */
  readonly teams: ReadonlyMap<number, readonly Team[]>;
  readonly repositories: ReadonlyMap<number, Repository>;
  /** The viewer's permission in each of them. */
  readonly permissions: ReadonlyMap<number, Permission>;
  /** How many forks their networks have, by the id of the network. */
  readonly networkForks: ReadonlyMap<number, number>;
  readonly associations: ReadonlyMap<number, AuthorAssociation>;
}

/** The representation of a pull in lists (docs/specification/forge.md 9.6). Blank fields are null, never absent (docs/specification/forge.md 2.1). */
export function representPullSummary(
  pull: Pull,
  relations: PullRelations,
  format: Format,
  urls: Urls,
): Representation {
  const name = fullName(relations.repository);
  const url = urls.pull(name, pull.number);
  const html = urls.pullHtml(name, pull.number);
  const issue = urls.issue(name, pull.number);
  const commentTemplate = `${urls.repository(name)}/pulls/comments{/number}`;
  const statuses = urls.status(name, pull.head.sha);
  const { assignee, assignees, labels, milestone } = representAttributes(pull.id, relations, urls);
  return {
    url,
    id: pull.id,
    node_id: nodeId('PullRequest', pull.id),
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    issue_url: issue,
    number: pull.number,
    state: pull.state,
    locked: pull.locked,
    title: pull.title,
    user: representKnown(pull.authorId, relations, urls),
    ...representMarkup(pull.body, format),
    created_at: timestamp(pull.createdAt),
    updated_at: timestamp(pull.updatedAt),
    closed_at: timestamp(pull.closedAt),
    merged_at: timestamp(pull.merge?.at ?? null),
    merge_commit_sha: mergeCommitSha(pull),
    assignee,
    assignees,
    requested_reviewers: (relations.reviewerIds.get(pull.id) ?? []).flatMap((id) => {
      const account = relations.accounts.get(id);
      return account ? [representAccount(account, urls)] : [];
    }),
    requested_teams: (relations.teams.get(pull.id) ?? []).map((team) => representTeam(team, urls)),
    labels,
    milestone,
    draft: pull.draft,
    commits_url: `${url}/commits`,
    review_comments_url: `${url}/comments`,
    review_comment_url: commentTemplate,
    comments_url: `${issue}/comments`,
    statuses_url: statuses,
    head: representHead(pull, relations, urls),
    base: representBase(pull, relations, urls),
    _links: {
      self: { href: url },
      html: { href: html },
      issue: { href: issue },
      comments: { href: `${issue}/comments` },
      review_comments: { href: `${url}/comments` },
      review_comment: { href: commentTemplate },
      commits: { href: `${url}/commits` },
      statuses: { href: statuses },
    },
    author_association: relations.associations.get(pull.authorId) ?? 'NONE',
    auto_merge: representAutoMerge(pull, relations, urls),
    active_lock_reason: pull.lockReason,
  };
}

function representAutoMerge(pull: Pull, relations: PullRelations, urls: Urls): Json {
  const { autoMerge } = pull;
  if (!autoMerge) return null;
  const { title, message } = autoMergeText(pull, autoMerge);
  return {
    enabled_by: representKnown(autoMerge.byId, relations, urls),
    merge_method: autoMerge.method,
    commit_title: title,
    commit_message: message,
  };
}

/** The detailed representation, with fields that need git, statuses and the branch's rules. */
export function representPull(
  pull: Pull,
  relations: PullRelations,
  rules: { statuses: CombinedState; protection: MergeBlock },
  format: Format,
  urls: Urls,
): Representation {
  const merges = mergeability(pull);
  return {
    ...representPullSummary(pull, relations, format, urls),
    merged: pull.merge !== undefined,
    mergeable: merges === 'unknown' ? null : merges === 'mergeable',
    rebaseable: merges === 'unknown' ? null : (pull.testMerge?.rebaseable ?? false),
    mergeable_state: mergeableState(pull, rules.statuses, rules.protection),
    merged_by: pull.merge ? representKnown(pull.merge.byId, relations, urls) : null,
    comments: pull.comments,
    review_comments: pull.reviewComments,
    maintainer_can_modify: pull.maintainerCanModify,
    commits: pull.size.commits,
    additions: pull.size.additions,
    deletions: pull.size.deletions,
    changed_files: pull.size.changedFiles,
  };
}

function representHead(pull: Pull, relations: PullRelations, urls: Urls): Representation {
  const { head } = pull;
  const repository =
    head.repositoryId === null ? undefined : relations.repositories.get(head.repositoryId);
  return {
    label: headLabel(pull),
    ref: head.ref,
    sha: head.sha,
    user: representKnown(head.ownerId, relations, urls),
    repo: repository ? representKnownRepository(repository, relations, urls) : null,
  };
}

function representBase(pull: Pull, relations: PullRelations, urls: Urls): Representation {
  const { repository } = relations;
  return {
    label: `${repository.owner.login}:${pull.base.ref}`,
    ref: pull.base.ref,
    sha: pull.base.sha,
    user: representAccount(repository.owner, urls),
    repo: representKnownRepository(repository, relations, urls),
  };
}

function representKnown(accountId: number | null, relations: PullRelations, urls: Urls): Json {
  const account = accountId === null ? undefined : relations.accounts.get(accountId);
  return account ? representAccount(account, urls) : null;
}

function representKnownRepository(
  repository: Repository,
  relations: PullRelations,
  urls: Urls,
): Representation {
  const permission = relations.permissions.get(repository.id) ?? 'none';
  const networkForks = relations.networkForks.get(repository.networkId) ?? 0;
  return representEmbeddedRepository(repository, { permission, networkForks }, urls);
}
