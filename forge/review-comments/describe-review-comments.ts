import type { Sql } from '#platform/database/database.ts';

import { accountsById } from '../accounts/account-store.ts';
import type { Json } from '../json/json-values.ts';
import type { Format } from '../http/media-types.ts';
import { notFound } from '../errors/api-error.ts';
import type { Ports } from '../ports/ports.ts';
import { countReactions } from '../reactions/reaction-store.ts';
import { associationsOf } from '../repositories/association-store.ts';
import { pullsById } from '../pulls/pull-store.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Urls } from '../json/urls.ts';
import { currentPositions } from './current-positions.ts';
import { representReviewComment } from './review-comment-json.ts';
import { findReviewComment, type ReviewCommentPage } from './review-comment-store.ts';

interface ResponseOptions {
  readonly media: { readonly format: Format };
  readonly urls: Urls;
}

/** The representation of a page of comments that `find` reads; git runs after the transaction has ended. */
export async function describeReviewComments(
  ports: Pick<Ports, 'database' | 'git'>,
  repository: Repository,
  { media, urls }: ResponseOptions,
  find: (sql: Sql) => Promise<ReviewCommentPage>,
): Promise<{ body: Json[]; total: number }> {
  const { comments, total, pulls, ...relations } = await ports.database.read(async (sql) => {
    const page = await find(sql);
    const authorIds = page.comments.map((comment) => comment.authorId);
    const found = await pullsById(
      sql,
      page.comments.map((comment) => comment.pullId),
    );
    return {
      ...page,
      pulls: new Map(found.map((pull) => [pull.id, pull])),
      repositoryName: fullName(repository),
      accounts: await accountsById(sql, authorIds),
      associations: await associationsOf(sql, repository, authorIds),
      reactions: await countReactions(
        sql,
        'review_comment',
        page.comments.map(({ id }) => id),
      ),
    };
  });
  const positions = await currentPositions(ports.git.repository(repository.id), comments, pulls);
  const body = comments.flatMap((comment) => {
    const pull = pulls.get(comment.pullId);
    const position = positions.get(comment.id);
    return pull
      ? [representReviewComment(comment, pull, position, relations, media.format, urls)]
      : [];
  });
  return { body, total };
}

/** The representation of the comment with this id, or a refusal. */
export async function describeReviewComment(
  ports: Pick<Ports, 'database' | 'git'>,
  repository: Repository,
  id: number,
  requested: ResponseOptions,
): Promise<Json> {
  const { body } = await describeReviewComments(ports, repository, requested, async (sql) => {
    const comment = await findReviewComment(sql, repository.id, id);
    return comment ? { comments: [comment], total: 1 } : notFound();
  });
  return body[0] ?? notFound();
}
