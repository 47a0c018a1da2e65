import { representAccount } from '../accounts/account-json.ts';
import type { Account } from '../model/account.ts';
import { type Json, timestamp } from '../json/json-values.ts';
import { representMarkup } from '../http/markup.ts';
import type { Format } from '../http/media-types.ts';
import { nodeId } from '../json/node-id.ts';
import type { AuthorAssociation } from '../repositories/association-store.ts';
import type { Urls } from '../json/urls.ts';
import type { Review } from '../model/review.ts';

/** Other resources that the representation of a review embeds. */
export interface ReviewRelations {
  readonly repositoryName: string;
  readonly pullNumber: number;
  readonly accounts: ReadonlyMap<number, Account>;
  readonly associations: ReadonlyMap<number, AuthorAssociation>;
}

/** A pending review has no `submitted_at`. */
export function representReview(
  review: Review,
  { repositoryName, pullNumber, accounts, associations }: ReviewRelations,
  format: Format,
  urls: Urls,
): { [field: string]: Json } {
  const author = accounts.get(review.authorId);
  const html = `${urls.pullHtml(repositoryName, pullNumber)}#pullrequestreview-${review.id}`;
  const pull = urls.pull(repositoryName, pullNumber);
  return {
    id: review.id,
    node_id: nodeId('PullRequestReview', review.id),
    user: author ? representAccount(author, urls) : null,
    ...representMarkup(review.body, format),
    state: review.state,
    html_url: html,
    pull_request_url: pull,
    author_association: associations.get(review.authorId) ?? 'NONE',
    _links: { html: { href: html }, pull_request: { href: pull } },
    ...(review.submittedAt === null ? {} : { submitted_at: timestamp(review.submittedAt) }),
    commit_id: review.commitSha,
  };
}
