import type { Sql } from '#platform/database/database.ts';

import { accountsById } from '../accounts/account-store.ts';
import { notFound } from '../errors/api-error.ts';
import type { Json } from '../json/json-values.ts';
import type { Format } from '../http/media-types.ts';
import { countReactions } from '../reactions/reaction-store.ts';
import { associationsOf } from '../repositories/association-store.ts';
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
  const authorIds = comments.map((comment) => comment.authorId);
  const relations = {
    repositoryName: fullName(repository),
    accounts: await accountsById(sql, authorIds),
    associations: await associationsOf(sql, repository, authorIds),
    reactions: await countReactions(
      sql,
      'issue_comment',
      comments.map(({ id }) => id),
    ),
  };
  return comments.map((comment) => representComment(comment, relations, format, urls));
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
