import Type from 'typebox';

import { notFound, invalid, refuse } from '../errors/api-error.ts';
import { writeRepository } from '../events/invalidate.ts';
import { page as pageResult, ok } from '../http/endpoint-result.ts';
import { stringEnum, nullable } from '../http/schemas.ts';
import { mayComment, mayRead, mayPush } from '../repositories/repository-access.ts';
import { callerAccountId } from '../model/caller.ts';
import { reviewEvents, stateAfter } from '../model/review.ts';
import {
  checkReviewComments,
  commentsMax,
  insertReviewComments,
  reviewCommentBody,
} from '../review-comments/comments-of-review.ts';
import { emitSubmittedReview, emitReviewEvent } from '../review-comments/emit-review-event.ts';
import { addReviewComments, countOfReview } from '../review-comments/review-comment-store.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { getPull, getReview, changeReviews } from './change-review.ts';
import { clearReviewRequests } from './review-request-store.ts';
import { describeReviews } from './describe-reviews.ts';
import { reviewRequestRoutes } from './review-request-routes.ts';
import {
  listReviews,
  findPendingReview,
  insertReview,
  changeReview,
  deleteReview,
} from './review-store.ts';
import { reviewedCommit, checkReviewBody, checkReviewDecision, custom } from './submit-review.ts';

/** Reviews of a pull request. */
export const reviewRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'pulls/list-reviews',
    method: 'GET',
    path: '/repos/:owner/:repo/pulls/:pull_number/reviews',
    docs: 'pulls#list-reviews-for-a-pull-request',
    policy: mayRead,
    formats: ['raw', 'text', 'html', 'full'],
    cacheable: true,
    async handle(request, { repository }, { database }) {
      const { path, caller, page } = request;
      return database.read(async (sql) => {
        const pull = await getPull(sql, repository, path.pull_number);
        const found = await listReviews(sql, pull.id, callerAccountId(caller), page);
        const body = await describeReviews(sql, repository, pull.number, found.reviews, request);
        return pageResult(body, found.total);
      });
    },
  }),

  repositoryEndpoint({
    operation: 'pulls/get-review',
    method: 'GET',
    path: '/repos/:owner/:repo/pulls/:pull_number/reviews/:review_id',
    docs: 'pulls#get-a-review-for-a-pull-request',
    policy: mayRead,
    formats: ['raw', 'text', 'html', 'full'],
    cacheable: true,
    async handle(request, { repository }, { database }) {
      const { path, caller } = request;
      return database.read(async (sql) => {
        const pull = await getPull(sql, repository, path.pull_number);
        const review = await getReview(sql, pull, path.review_id, caller);
        const [body] = await describeReviews(sql, repository, pull.number, [review], request);
        return body === undefined ? notFound() : ok(body);
      });
    },
  }),

  repositoryEndpoint({
    operation: 'pulls/create-review',
    method: 'POST',
    path: '/repos/:owner/:repo/pulls/:pull_number/reviews',
    docs: 'pulls#create-a-review-for-a-pull-request',
    policy: mayComment,
    formats: ['raw', 'text', 'html', 'full'],
    body: Type.Object({
      body: Type.Optional(nullable(Type.String())),
      // Without an event, or with PENDING, the review is pending.
      event: Type.Optional(nullable(stringEnum([...reviewEvents, 'PENDING']))),
      commit_id: Type.Optional(nullable(Type.String())),
      comments: Type.Optional(nullable(Type.Array(reviewCommentBody, { maxItems: commentsMax }))),
    }),
    async handle(request, access, ports) {
      const { body, path, now } = request;
      const text = body.body ?? '';
      checkReviewBody(text);
      const event = body.event === 'PENDING' ? undefined : (body.event ?? undefined);
      const looked = await ports.database.read((sql) =>
        getPull(sql, access.repository, path.pull_number),
      );
      const git = ports.git.repository(access.repository.id);
      const commit = body.commit_id ?? undefined;
      const commitSha = await reviewedCommit(git, looked, commit, 'PullRequestReview');
      const comments = await checkReviewComments(git, looked, commitSha, body.comments ?? []);
      const representation = await changeReviews(
        ports,
        access,
        request,
        async (sql, pull, authorId) => {
          if (event) {
            checkReviewDecision(pull, authorId, event, text, comments.length);
            await clearReviewRequests(sql, pull.id, authorId);
          } else if (await findPendingReview(sql, pull.id, authorId)) {
            invalid(custom('event', 'User can only have one pending review per pull request'));
          }
          const reviewId = await insertReview(sql, access.repository.id, {
            pullId: pull.id,
            authorId,
            body: text,
            state: event ? stateAfter[event] : 'PENDING',
            commitSha,
            submittedAt: event ? now : null,
          });
          await insertReviewComments(sql, { reviewId, pull, authorId, comments, now });
          if (event) await addReviewComments(sql, pull.id, comments.length);
          if (event) await emitSubmittedReview(sql, pull, { reviewId, actorId: authorId }, now);
          return reviewId;
        },
      );
      return ok(representation);
    },
  }),

  /** Edits the body of a review; for its author only. */
  repositoryEndpoint({
    operation: 'pulls/update-review',
    method: 'PUT',
    path: '/repos/:owner/:repo/pulls/:pull_number/reviews/:review_id',
    docs: 'pulls#update-a-review-for-a-pull-request',
    policy: mayComment,
    formats: ['raw', 'text', 'html', 'full'],
    body: Type.Object({ body: Type.String() }),
    async handle(request, access, ports) {
      const { body, caller, path, now } = request;
      if (body.body.trim() === '') {
        invalid({ resource: 'PullRequestReview', field: 'body', code: 'missing_field' });
      }
      checkReviewBody(body.body);
      const representation = await changeReviews(
        ports,
        access,
        request,
        async (sql, pull, authorId) => {
          const review = await getReview(sql, pull, path.review_id, caller);
          if (review.authorId !== authorId) {
            refuse({ kind: 'forbidden', message: 'Must be the author of the review.' });
          }
          await changeReview(sql, review.id, { ...review, body: body.body });
          if (review.state !== 'PENDING' && review.body !== body.body) {
            const changes = { body: { from: review.body } };
            const event = {
              action: 'edited',
              reviewId: review.id,
              actorId: authorId,
              changes,
            } as const;
            await emitReviewEvent(sql, pull, event, now);
          }
          return review.id;
        },
      );
      return ok(representation);
    },
  }),

  /** Deletes a pending review with its comments, for its author only; a submitted review cannot be deleted. */
  repositoryEndpoint({
    operation: 'pulls/delete-pending-review',
    method: 'DELETE',
    path: '/repos/:owner/:repo/pulls/:pull_number/reviews/:review_id',
    docs: 'pulls#delete-a-pending-review-for-a-pull-request',
    policy: mayComment,
    formats: ['raw', 'text', 'html', 'full'],
    async handle(request, { repository }, { database }) {
      const { caller, path } = request;
      const representation = await writeRepository(database, repository.id, async (sql) => {
        const pull = await getPull(sql, repository, path.pull_number);
        const review = await getReview(sql, pull, path.review_id, caller);
        if (review.state !== 'PENDING') {
          invalid(custom('state', 'Can not delete a non-pending pull request review'));
        }
        const [body] = await describeReviews(sql, repository, pull.number, [review], request);
        await deleteReview(sql, review.id);
        return body ?? notFound();
      });
      return ok(representation);
    },
  }),

  repositoryEndpoint({
    operation: 'pulls/submit-review',
    method: 'POST',
    path: '/repos/:owner/:repo/pulls/:pull_number/reviews/:review_id/events',
    docs: 'pulls#submit-a-review-for-a-pull-request',
    policy: mayComment,
    formats: ['raw', 'text', 'html', 'full'],
    body: Type.Object({
      event: stringEnum(reviewEvents),
      body: Type.Optional(nullable(Type.String())),
    }),
    async handle(request, access, ports) {
      const { body, caller, path, now } = request;
      const { event } = body;
      const representation = await changeReviews(
        ports,
        access,
        request,
        async (sql, pull, authorId) => {
          const review = await getReview(sql, pull, path.review_id, caller);
          if (review.state !== 'PENDING') {
            invalid(custom('state', 'Only pending reviews can be submitted'));
          }
          const text = body.body ?? review.body;
          checkReviewBody(text);
          const comments = await countOfReview(sql, review.id);
          checkReviewDecision(pull, authorId, event, text, comments);
          await changeReview(sql, review.id, {
            state: stateAfter[event],
            body: text,
            submittedAt: now,
          });
          await addReviewComments(sql, pull.id, comments);
          await clearReviewRequests(sql, pull.id, authorId);
          await emitSubmittedReview(sql, pull, { reviewId: review.id, actorId: authorId }, now);
          return review.id;
        },
      );
      return ok(representation);
    },
  }),

  repositoryEndpoint({
    operation: 'pulls/dismiss-review',
    method: 'PUT',
    path: '/repos/:owner/:repo/pulls/:pull_number/reviews/:review_id/dismissals',
    docs: 'pulls#dismiss-a-review-for-a-pull-request',
    policy: mayPush,
    formats: ['raw', 'text', 'html', 'full'],
    body: Type.Object({ message: Type.String() }),
    async handle(request, access, ports) {
      const { body, caller, path, now } = request;
      if (body.message.trim() === '') {
        invalid({ resource: 'PullRequestReview', field: 'message', code: 'missing_field' });
      }
      const representation = await changeReviews(
        ports,
        access,
        request,
        async (sql, pull, actorId) => {
          const review = await getReview(sql, pull, path.review_id, caller);
          if (review.state !== 'APPROVED' && review.state !== 'CHANGES_REQUESTED') {
            const state = review.state.toLowerCase();
            invalid(custom('state', `Can not dismiss a ${state} pull request review`));
          }
          await changeReview(sql, review.id, { ...review, state: 'DISMISSED' });
          const event = { action: 'dismissed', reviewId: review.id, actorId } as const;
          await emitReviewEvent(sql, pull, event, now);
          return review.id;
        },
      );
      return ok(representation);
    },
  }),

  ...reviewRequestRoutes,
];
