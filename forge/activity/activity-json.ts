import { present } from '#platform/present.ts';

import { representAccount } from '../accounts/account-json.ts';
import type { Account } from '../model/account.ts';
import { type Json, timestamp } from '../json/json-values.ts';
import { representRepository } from '../repositories/repository-json.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Urls } from '../json/urls.ts';
import { actorOf, type DomainEvent, type RefEvent } from '../model/domain-event.ts';
import type { Activity } from '../events/activity.ts';

type Representation = { [field: string]: Json };

/** What entries embed of other resources. */
export interface ActivityRelations {
  readonly repository: Repository;
  readonly accounts: ReadonlyMap<number, Account>;
  readonly issues: ReadonlyMap<number, Json>;
  readonly comments: ReadonlyMap<number, Json>;
  readonly pulls: ReadonlyMap<number, Json>;
  readonly reviews: ReadonlyMap<number, Json>;
  readonly forks: ReadonlyMap<number, Repository>;
  readonly releases: ReadonlyMap<number, Json>;
  readonly commitComments: ReadonlyMap<number, Json>;
}

/** An entry of the list of events. The owner stands for an unknown actor, as in webhooks. */
export function representActivity(
  activity: Activity,
  relations: ActivityRelations,
  urls: Urls,
): Representation {
  const { repository, accounts } = relations;
  const name = fullName(repository);
  const actor = accounts.get(actorOf(activity.domainEvent) ?? 0) ?? repository.owner;
  return {
    id: String(activity.id),
    type: activity.type,
    actor: representActor(actor, urls),
    repo: { id: repository.id, name, url: urls.repository(name) },
    payload: payloadOf(activity, relations, urls),
    public: !repository.private,
    created_at: timestamp(activity.createdAt),
    ...(repository.owner.kind === 'organization'
      ? { org: representActor(repository.owner, urls) }
      : {}),
  };
}

function representActor(account: Account, urls: Urls): Representation {
  return {
    id: account.id,
    login: account.login,
    display_login: account.login,
    gravatar_id: '',
    url:
      account.kind === 'organization'
        ? urls.organization(account.login)
        : urls.user(encodeURIComponent(account.login)),
    avatar_url: urls.avatar(account.id),
  };
}

function payloadOf(
  { id, domainEvent }: Activity,
  relations: ActivityRelations,
  urls: Urls,
): Representation {
  const { repository, accounts, issues, comments, pulls, reviews, forks, releases } = relations;
  const { commitComments } = relations;
  switch (domainEvent.event) {
    case 'push':
      return representPush(domainEvent, id, repository);
    case 'create':
    case 'delete':
      return representRef(domainEvent, repository);
    case 'issues': {
      const { action, issueId, changes } = domainEvent;
      return { action, issue: issues.get(issueId) ?? null, ...present({ changes }) };
    }
    case 'issue_comment': {
      const { action, issueId, commentId } = domainEvent;
      const comment = comments.get(commentId) ?? null;
      return { action, issue: issues.get(issueId) ?? null, comment };
    }
    case 'pull_request':
      return representPullEvent(domainEvent, pulls.get(domainEvent.pullId));
    case 'pull_request_review': {
      // As on GitHub, the action `submitted` of webhooks is `created` here.
      const action = domainEvent.action === 'submitted' ? 'created' : domainEvent.action;
      const review = reviews.get(domainEvent.reviewId) ?? null;
      return { action, review, pull_request: pulls.get(domainEvent.pullId) ?? null };
    }
    case 'member': {
      const member = accounts.get(domainEvent.memberId);
      return { action: domainEvent.action, member: member ? representAccount(member, urls) : null };
    }
    case 'fork': {
      const fork = forks.get(domainEvent.forkId);
      return { action: 'forked', forkee: fork ? representRepository(fork, urls) : null };
    }
    case 'release': {
      const { action, releaseId } = domainEvent;
      return { action, release: releases.get(releaseId) ?? null };
    }
    case 'repository':
      return domainEvent.action === 'created' ? representBirth(repository) : {};
    case 'commit_comment':
      return {
        action: domainEvent.action,
        comment: commitComments.get(domainEvent.commentId) ?? null,
      };
    case 'watch':
      return { action: domainEvent.action };
    case 'check_run':
    case 'check_suite':
    case 'deploy_key':
    case 'deployment':
    case 'deployment_status':
    case 'label':
    case 'milestone':
    case 'ping':
    case 'pull_request_review_comment':
    case 'repository_dispatch':
    case 'star':
    case 'status':
      return {};
  }
}

function representPush(
  { ref, before, after }: RefEvent,
  id: number,
  repository: Repository,
): Representation {
  return { repository_id: repository.id, push_id: id, ref, head: after, before };
}

function representRef({ ref, event }: RefEvent, repository: Repository): Representation {
  const branch = ref.startsWith('refs/heads/');
  return {
    ref: ref.slice((branch ? 'refs/heads/' : 'refs/tags/').length),
    ref_type: branch ? 'branch' : 'tag',
    full_ref: ref,
    ...(event === 'create' ? descriptionOf(repository) : {}),
    pusher_type: 'user',
  };
}

function representBirth(repository: Repository): Representation {
  const nothing = { ref: null, ref_type: 'repository', full_ref: null };
  return { ...nothing, ...descriptionOf(repository), pusher_type: 'user' };
}

function descriptionOf({ defaultBranch, description }: Repository): Representation {
  return { master_branch: defaultBranch, description };
}

function representPullEvent(
  { action, changes }: Extract<DomainEvent, { event: 'pull_request' }>,
  pull: Json | undefined,
): Representation {
  const number =
    typeof pull === 'object' && pull !== null && 'number' in pull ? (pull.number ?? null) : null;
  return { action, number, pull_request: pull ?? null, ...present({ changes }) };
}
