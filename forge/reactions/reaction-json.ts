import { representAccount } from '../accounts/account-json.ts';
import { type Json, timestamp } from '../json/json-values.ts';
import { nodeId } from '../json/node-id.ts';
import type { Urls } from '../json/urls.ts';
import type { Account } from '../model/account.ts';
import { type Reaction, reactionContents, type ReactionCounts } from '../model/reaction.ts';

export function representReaction(
  reaction: Reaction,
  account: Account | undefined,
  urls: Urls,
): { [field: string]: Json } {
  return {
    id: reaction.id,
    node_id: nodeId('Reaction', reaction.id),
    user: account ? representAccount(account, urls) : null,
    content: reaction.content,
    created_at: timestamp(reaction.createdAt),
  };
}

/** `reactions`: how many of each content the resource of this URL has. */
export function representReactionCounts(
  counts: ReactionCounts | undefined,
  url: string,
): { [field: string]: Json } {
  const numbers = reactionContents.map((content) => [content, counts?.get(content) ?? 0] as const);
  return {
    url: `${url}/reactions`,
    total_count: numbers.reduce((sum, [, count]) => sum + count, 0),
    ...Object.fromEntries(numbers),
  };
}
