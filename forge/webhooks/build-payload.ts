import type { Sql } from '#platform/database/database.ts';

import { reconciledRead } from '../auth/reconciled-read.ts';
import { accountsById } from '../accounts/account-store.ts';
import { representShortBranch } from '../branches/branch-json.ts';
import { protectedBranches } from '../branches/protection-store.ts';
import { describeCommit } from '../commits/describe-commits.ts';
import { GitError } from '../git/git-error.ts';
import { type Json, timestamp } from '../json/json-values.ts';
import type { Ports } from '../ports/ports.ts';
import { findPullById } from '../pulls/pull-store.ts';
import { describeReviewComments } from '../review-comments/describe-review-comments.ts';
import { findReviewComment } from '../review-comments/review-comment-store.ts';
import { representDeployKey } from '../ssh-keys/ssh-key-json.ts';
import { fullName } from '../model/repository.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import type { CommitStatus } from '../model/commit-status.ts';
import { createUrls, type Urls } from '../json/urls.ts';
import { describeCheckRunEvent, describeCheckSuiteEvent } from './describe-check-event.ts';
import { describeChange, describePullOf } from './describe-change.ts';
import type { PayloadContext } from './payload-context.ts';
import { representReviewCommentChange } from './change-json.ts';
import {
  actorOf,
  isAppEvent,
  type RepositoryEvent,
  type ReviewCommentChanged,
} from '../model/domain-event.ts';
import type { Delivery } from './delivery.ts';
import {
  describeAppEvent,
  describeAppPing,
  representInstallationOf,
} from './describe-app-event.ts';
import {
  representPing,
  representPush,
  representRefLife,
  representContext,
  representStatusChange,
} from './payload-json.ts';
import { pushDetails } from './push-details.ts';
import { representWebhook } from './webhook-json.ts';
import type { Webhook } from './webhook.ts';

type Representation = { [field: string]: Json };

/** The payload of an event, with the current state of its resources; undefined if they no longer exist. */
export async function describeDomainEvent(
  ports: Ports,
  webhook: Webhook,
  delivery: Pick<Delivery, 'domainEvent' | 'installationId' | 'repositoryId'>,
): Promise<Representation | undefined> {
  const { domainEvent, installationId, repositoryId } = delivery;
  const { target } = webhook;
  const urls = createUrls(ports.settings.baseUrl, ports.settings.sshPort);
  if (isAppEvent(domainEvent)) {
    return ports.database.read((sql) => describeAppEvent(sql, domainEvent, urls));
  }
  if (target.kind === 'repository') {
    return describeIn(ports, webhook, target.repositoryId, domainEvent, urls);
  }
  const { appId } = target;
  if (repositoryId === null) {
    return ports.database.read((sql) => describeAppPing(sql, webhook, appId, urls));
  }
  const payload = await describeIn(ports, webhook, repositoryId, domainEvent, urls);
  return payload && { ...payload, ...representInstallationOf(installationId) };
}

async function describeIn(
  ports: Ports,
  webhook: Webhook,
  repositoryId: number,
  domainEvent: RepositoryEvent,
  urls: Urls,
): Promise<Representation | undefined> {
  const contextNow = async (): Promise<PayloadContext | undefined> => {
    const { context } = await reconciledRead(ports, async (sql) => {
      const found = await loadPayloadContext(sql, repositoryId, domainEvent, urls);
      return { context: found, networkId: found?.repository.networkId };
    });
    return context;
  };
  const context = await contextNow();
  if (!context) return undefined;
  const details = await detailsOf(ports, webhook, domainEvent, context).catch(
    async (error: unknown) => {
      // It may have been deleted meanwhile.
      if (isMissingRepository(error) && !(await contextNow())) return undefined;
      throw error;
    },
  );
  return details && { ...details, ...representContext(context.repository, context.sender, urls) };
}

function isMissingRepository(error: unknown): boolean {
  return error instanceof GitError && error.kind === 'missing-repository';
}

async function loadPayloadContext(
  sql: Sql,
  repositoryId: number,
  domainEvent: RepositoryEvent,
  urls: Urls,
): Promise<PayloadContext | undefined> {
  const repository = (await repositoriesById(sql, [repositoryId])).get(repositoryId);
  const actorId = actorOf(domainEvent);
  const actor = actorId === null ? undefined : (await accountsById(sql, [actorId])).get(actorId);
  // Receivers rely on a sender, so the owner stands for an unknown actor.
  return repository && { repository, sender: actor ?? repository.owner, urls };
}

async function detailsOf(
  ports: Ports,
  webhook: Webhook,
  domainEvent: RepositoryEvent,
  context: PayloadContext,
): Promise<Representation | undefined> {
  const { repository, sender, urls } = context;
  switch (domainEvent.event) {
    case 'ping':
      return representPing(representWebhook(webhook, repository, urls), webhook.id);
    case 'create':
    case 'delete':
      return representRefLife(domainEvent, repository);
    case 'push': {
      const details = await pushDetails(ports.git.repository(repository.id), domainEvent);
      const pusher = actorOf(domainEvent) === null ? undefined : sender;
      return representPush(domainEvent, { ...details, pusher }, repository, urls);
    }
    case 'check_run':
      return describeCheckRunEvent(ports, domainEvent, context);
    case 'check_suite':
      return describeCheckSuiteEvent(ports, domainEvent, context);
    case 'repository_dispatch': {
      const { action, payload } = domainEvent;
      const client: { [field: string]: Json } = JSON.parse(payload);
      return { action, branch: repository.defaultBranch, client_payload: client };
    }
    case 'star':
      return { action: domainEvent.action, starred_at: timestamp(domainEvent.starredAt) };
    case 'watch':
      return { action: domainEvent.action };
    case 'deploy_key': {
      const { action, key } = domainEvent;
      return { action, key: representDeployKey(key, fullName(repository), urls) };
    }
    case 'status':
      return statusDetails(ports, domainEvent.status, context);
    case 'pull_request_review_comment':
      return reviewCommentDetails(ports, domainEvent, context);
    case 'pull_request':
    case 'issues':
    case 'issue_comment':
    case 'pull_request_review':
    case 'commit_comment':
    case 'deployment':
    case 'deployment_status':
    case 'label':
    case 'milestone':
    case 'release':
    case 'repository':
    case 'member':
    case 'fork':
      return ports.database.read((sql) => describeChange(sql, domainEvent, context));
  }
}

async function statusDetails(
  ports: Ports,
  status: CommitStatus,
  { repository, urls }: PayloadContext,
): Promise<Representation | undefined> {
  const git = ports.git.repository(repository.id);
  const commit = await git.readCommit(status.sha);
  if (!commit) return undefined;
  const tips = (await git.listRefs('refs/heads/')).filter(({ id }) => id === status.sha);
  return ports.database.read(async (sql) => {
    const names = await protectedBranches(sql, repository.id);
    const branches = tips.slice(0, branchesMax).map((ref) => {
      const isProtected = names.has(ref.name.slice('refs/heads/'.length));
      return representShortBranch(ref, isProtected, fullName(repository), urls);
    });
    const representation = await describeCommit(sql, commit, repository, urls);
    return representStatusChange(status, representation, branches, repository, urls);
  });
}

/** The current position of a comment is computed from git. */
async function reviewCommentDetails(
  ports: Ports,
  change: ReviewCommentChanged,
  context: PayloadContext,
): Promise<Representation | undefined> {
  const { repository, urls } = context;
  const found = await ports.database.read(async (sql) => ({
    pull: await findPullById(sql, change.pullId),
    comment: change.last ?? (await findReviewComment(sql, repository.id, change.commentId)),
  }));
  const { pull, comment } = found;
  if (!pull || !comment) return undefined;
  const options = { media: { format: 'json' }, urls } as const;
  const representation = await describeReviewComments(ports, repository, options, async () => ({
    comments: [comment],
    total: 1,
  }));
  const shown = await ports.database.read((sql) => describePullOf(sql, pull, context));
  return representReviewCommentChange(change, representation.body[0] ?? null, shown);
}

/** Branches that the event of a status lists. */
const branchesMax = 10;
