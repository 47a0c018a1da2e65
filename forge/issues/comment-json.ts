import { representAccount } from '../accounts/account-json.ts';
import type { Account } from '../model/account.ts';
import { type Json, timestamp } from '../json/json-values.ts';
import { representMarkup } from '../http/markup.ts';
import type { Format } from '../http/media-types.ts';
import { nodeId } from '../json/node-id.ts';
import type { AuthorAssociation } from '../repositories/association-store.ts';
import type { Urls } from '../json/urls.ts';
import type { Comment } from '../model/comment.ts';
import type { ReactionCounts } from '../model/reaction.ts';
import { representReactionCounts } from '../reactions/reaction-json.ts';
import { issueHtml } from './issue-json.ts';

/** Other resources that the representation of a comment embeds. */
export interface CommentRelations {
  readonly repositoryName: string;
  readonly accounts: ReadonlyMap<number, Account>;
  readonly associations: ReadonlyMap<number, AuthorAssociation>;
  readonly reactions: ReadonlyMap<number, ReactionCounts>;
}

export function representComment(
  comment: Comment,
  { repositoryName, accounts, associations, reactions }: CommentRelations,
  format: Format,
  urls: Urls,
): { [field: string]: Json } {
  const author = accounts.get(comment.authorId);
  const url = urls.issueComment(repositoryName, comment.id);
  const html = issueHtml(comment.issue, repositoryName, urls);
  return {
    url,
    html_url: `${html}#issuecomment-${comment.id}`,
    issue_url: urls.issue(repositoryName, comment.issue.number),
    id: comment.id,
    node_id: nodeId('IssueComment', comment.id),
    user: author ? representAccount(author, urls) : null,
    created_at: timestamp(comment.createdAt),
    updated_at: timestamp(comment.updatedAt),
    author_association: associations.get(comment.authorId) ?? 'NONE',
    ...representMarkup(comment.body, format),
    minimized: comment.minimizedReason === null ? null : { reason: comment.minimizedReason },
    reactions: representReactionCounts(reactions.get(comment.id), url),
    performed_via_github_app: null,
  };
}
