import type { Sql } from '#platform/database/database.ts';

import { accountsById } from '../accounts/account-store.ts';
import { notFound } from '../errors/api-error.ts';
import type { Json } from '../json/json-values.ts';
import type { Format } from '../http/media-types.ts';
import { countReactions } from '../reactions/reaction-store.ts';
import { associationsIn } from '../repositories/association-store.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Urls } from '../json/urls.ts';
import { representComment } from './comment-json.ts';
import { findComment } from './comment-store.ts';
import type { Comment } from '../model/comment.ts';

/** Representations of comments with their authors, in a fixed number of statements. */
export async function describeComments(
  sql: Sql,
  repository: Repository,
  comments: readonly Comment[],
  format: Format,
  urls: Urls,
): Promise<Json[]> {
  return describeCommentsIn(sql, comments, () => repository, format, urls);
}

/** Like `describeComments`, for comments of several repositories in as many statements. */
export async function describeCommentsIn(
  sql: Sql,
  comments: readonly Comment[],
  repositoryOf: (comment: Comment) => Repository,
  format: Format,
  urls: Urls,
): Promise<Json[]> {
  const authors = comments.map((comment) => ({
    repositoryId: repositoryOf(comment).id,
    authorId: comment.authorId,
  }));
  const accounts = await accountsById(
    sql,
    authors.map(({ authorId }) => authorId),
  );
  const associations = await associationsIn(sql, authors);
  const reactions = await countReactions(
    sql,
    'issue_comment',
    comments.map(({ id }) => id),
  );
  return comments.map((comment) => {
    const repository = repositoryOf(comment);
    const relations = {
      repositoryName: fullName(repository),
      accounts,
      associations: associations.get(repository.id) ?? new Map(),
      reactions,
    };
    return representComment(comment, relations, format, urls);
  });
}

/** The representation of the comment with this id, or a refusal. */
export async function describeComment(
  sql: Sql,
  repository: Repository,
  id: number,
  format: Format,
  urls: Urls,
): Promise<{ body: Json; updatedAt: number }> {
  const comment = await findComment(sql, repository.id, id);
  if (!comment) return notFound();
  const [body] = await describeComments(sql, repository, [comment], format, urls);
  return body === undefined ? notFound() : { body, updatedAt: comment.updatedAt };
}
