import { present } from '#platform/present.ts';

import { legacyPermission } from '../model/permission.ts';
import { representAccount } from '../accounts/account-json.ts';
import type { Account } from '../model/account.ts';
import { representOrganization } from '../accounts/organization-json.ts';
import type { Json } from '../json/json-values.ts';
import { representLabel } from '../labels/label-json.ts';
import { representRepository } from '../repositories/repository-json.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Urls } from '../json/urls.ts';
import type {
  CommentChanged,
  IssueChanged,
  LabelChanged,
  MemberChanged,
  PullEvent,
  RepositoryChanged,
  ReviewChanged,
  ReviewCommentChanged,
} from '../model/domain-event.ts';

type Representation = { [field: string]: Json };

export function representPullChange(
  { action, changes, before, after }: PullEvent,
  number: number,
  pull: Json,
): Representation {
  return {
    action,
    number,
    pull_request: pull,
    ...present({ changes }),
    ...(before === undefined || after === undefined ? {} : { before, after }),
  };
}

export function representIssueChange(
  { action, changes }: IssueChanged,
  issue: Json,
): Representation {
  return { action, issue, ...present({ changes }) };
}

export function representCommentChange(
  { action, changes }: CommentChanged,
  issue: Json,
  comment: Json,
): Representation {
  return { action, issue, comment, ...present({ changes }) };
}

export function representReviewChange(
  { action, changes }: ReviewChanged,
  review: Json,
  pull: Json,
): Representation {
  return {
    action,
    review: inSmallLetters(review),
    pull_request: pull,
    ...present({ changes }),
  };
}

export function representReviewCommentChange(
  { action, changes }: ReviewCommentChanged,
  comment: Json,
  pull: Json,
): Representation {
  return { action, comment, pull_request: pull, ...present({ changes }) };
}

export function representLabelChange(
  { action, label, changes }: LabelChanged,
  repository: Repository,
  urls: Urls,
): Representation {
  const shown = representLabel(label, fullName(repository), urls);
  return { action, label: shown, ...present({ changes }) };
}

export function representMemberChange(
  { action, permission }: MemberChanged,
  member: Account,
  urls: Urls,
): Representation {
  return {
    action,
    member: representAccount(member, urls),
    ...(permission ? { changes: permissionChange(permission) } : {}),
  };
}

export function representRepositoryChange(
  { action, changes, formerName }: RepositoryChanged,
  formerOwner: Account | undefined,
  urls: Urls,
): Representation {
  return {
    action,
    ...present({ changes }),
    ...(formerName === undefined
      ? {}
      : { changes: { repository: { name: { from: formerName } } } }),
    ...(formerOwner ? { changes: { owner: { from: representOwner(formerOwner, urls) } } } : {}),
  };
}

export function representFork(fork: Repository, urls: Urls): Representation {
  return { forkee: representRepository(fork, urls) };
}

/** The state of a review is in upper case everywhere except in payloads. */
function inSmallLetters(review: Json): Json {
  if (typeof review !== 'object' || review === null || !('state' in review)) return review;
  const { state } = review;
  return typeof state === 'string' ? { ...review, state: state.toLowerCase() } : review;
}

/** Permissions as the three legacy values, and the new permission also as a role name. */
function permissionChange({ from, to }: NonNullable<MemberChanged['permission']>): Representation {
  const word = legacyPermission(to);
  if (from === null) return { permission: { to: word }, role_name: { to } };
  const before = legacyPermission(from);
  return { old_permission: { from: before }, permission: { from: before, to: word } };
}

function representOwner(owner: Account, urls: Urls): Representation {
  return owner.kind === 'organization'
    ? { organization: representOrganization(owner, urls) }
    : { user: representAccount(owner, urls) };
}
