import type { Sql } from '#platform/database/database.ts';

import { representAccount } from '../accounts/account-json.ts';
import { accountsById } from '../accounts/account-store.ts';
import { representMarkup } from '../http/markup.ts';
import type { Format } from '../http/media-types.ts';
import { type Json, timestamp } from '../json/json-values.ts';
import { nodeId } from '../json/node-id.ts';
import type { Urls } from '../json/urls.ts';
import type { CommitComment } from '../model/commit-comment.ts';
import { fullName, type Repository } from '../model/repository.ts';
import { representReactionCounts } from '../reactions/reaction-json.ts';
import { countReactions } from '../reactions/reaction-store.ts';
import { associationsIn } from '../repositories/association-store.ts';

/** Representations of comments on commits, in a fixed number of statements. */
export async function describeCommitComments(
  sql: Sql,
  repository: Repository,
  comments: readonly CommitComment[],
  format: Format,
  urls: Urls,
): Promise<{ [field: string]: Json }[]> {
  return describeCommitCommentsIn(sql, comments, () => repository, format, urls);
}

/** Like `describeCommitComments`, for comments of several repositories in as many statements. */
export async function describeCommitCommentsIn(
  sql: Sql,
  comments: readonly CommitComment[],
  repositoryOf: (comment: CommitComment) => Repository,
  format: Format,
  urls: Urls,
): Promise<{ [field: string]: Json }[]> {
  const accounts = await accountsById(
    sql,
    comments.map(({ authorId }) => authorId),
  );
  const associations = await associationsIn(sql, comments);
  const ids = comments.map(({ id }) => id);
  const reactions = await countReactions(sql, 'commit_comment', ids);
  return comments.map((comment) => {
    const repository = repositoryOf(comment);
    const name = fullName(repository);
    const author = accounts.get(comment.authorId);
    const url = urls.commitComment(name, comment.id);
    return {
      url,
      html_url: `${urls.commitHtml(name, comment.sha)}#commitcomment-${comment.id}`,
      id: comment.id,
      node_id: nodeId('CommitComment', comment.id),
      user: author ? representAccount(author, urls) : null,
      position: comment.position,
      line: comment.line,
      path: comment.path,
      commit_id: comment.sha,
      created_at: timestamp(comment.createdAt),
      updated_at: timestamp(comment.updatedAt),
      author_association: associations.get(repository.id)?.get(comment.authorId) ?? 'NONE',
      ...representMarkup(comment.body, format),
      reactions: representReactionCounts(reactions.get(comment.id), url),
    };
  });
}
