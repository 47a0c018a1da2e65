import { representAccount } from '../accounts/account-json.ts';
import type { Account } from '../model/account.ts';
import { type Json, timestamp } from '../json/json-values.ts';
import { representMarkup } from '../http/markup.ts';
import type { Format } from '../http/media-types.ts';
import { nodeId } from '../json/node-id.ts';
import type { AuthorAssociation } from '../repositories/association-store.ts';
import type { ReactionCounts } from '../model/reaction.ts';
import { representReactionCounts } from '../reactions/reaction-json.ts';
import type { Pull } from '../model/pull.ts';
import type { Urls } from '../json/urls.ts';
import type { CurrentPosition } from './current-positions.ts';
import type { ReviewComment } from '../model/review-comment.ts';

/** Other resources that the representation of a review comment embeds. */
export interface ReviewCommentRelations {
  readonly repositoryName: string;
  readonly accounts: ReadonlyMap<number, Account>;
  readonly associations: ReadonlyMap<number, AuthorAssociation>;
  readonly reactions: ReadonlyMap<number, ReactionCounts>;
}

/** An outdated comment has no position; the fields `original_*` still have the original one. */
export function representReviewComment(
  comment: ReviewComment,
  pull: Pull,
  present: CurrentPosition | undefined,
  { repositoryName, accounts, associations, reactions }: ReviewCommentRelations,
  format: Format,
  urls: Urls,
): { [field: string]: Json } {
  const { position } = comment;
  const author = accounts.get(comment.authorId);
  const url = urls.reviewComment(repositoryName, comment.id);
  const html = `${urls.pullHtml(repositoryName, pull.number)}#discussion_r${comment.id}`;
  const pullUrl = urls.pull(repositoryName, pull.number);
  return {
    url,
    pull_request_review_id: comment.reviewId,
    id: comment.id,
    node_id: nodeId('PullRequestReviewComment', comment.id),
    diff_hunk: position.diffHunk,
    path: position.path,
    position: present?.position ?? null,
    original_position: position.position,
    commit_id: present ? pull.head.sha : position.commitSha,
    original_commit_id: position.commitSha,
    ...(comment.replyToId === null ? {} : { in_reply_to_id: comment.replyToId }),
    user: author ? representAccount(author, urls) : null,
    ...representMarkup(comment.body, format),
    created_at: timestamp(comment.createdAt),
    updated_at: timestamp(comment.updatedAt),
    html_url: html,
    pull_request_url: pullUrl,
    author_association: associations.get(comment.authorId) ?? 'NONE',
    reactions: representReactionCounts(reactions.get(comment.id), url),
    _links: {
      self: { href: url },
      html: { href: html },
      pull_request: { href: pullUrl },
    },
    start_line: present?.startLine ?? null,
    original_start_line: position.start?.line ?? null,
    start_side: position.start?.side ?? null,
    line: present?.line ?? null,
    original_line: position.line,
    side: position.side,
  };
}
