import Type from 'typebox';

import { type FieldError, invalid, notFound } from '../errors/api-error.ts';
import { page as pageResult, ok, created, noContent } from '../http/endpoint-result.ts';
import { nullable } from '../http/schemas.ts';
import { readRepositoryCommentFilter } from '../issues/comment-filter.ts';
import { mayComment, mayRead } from '../repositories/repository-access.ts';
import { fullName } from '../model/repository.ts';
import { checkReviewCommentBody, resource } from '../model/review-comment.ts';
import { getPull, getReview } from '../reviews/change-review.ts';
import { reviewedCommit } from '../reviews/submit-review.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import {
  changeReviewComment,
  pinCommentedCommit,
  type WriteReviewCommentInput,
  writeReviewComment,
} from './change-review-comment.ts';
import { describeReviewComments, describeReviewComment } from './describe-review-comments.ts';
import { diffPositionProperties, readDiffPosition } from './diff-position-input.ts';
import {
  listReviewComments,
  commentsOfReview,
  findReviewComment,
  editReviewComment,
  addReviewComments,
  deleteReviewComment,
} from './review-comment-store.ts';
import { validatePosition, commentableDiff } from './validate-position.ts';

/** Review comments. */
export const reviewCommentRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'pulls/list-review-comments-for-repo',
    method: 'GET',
    path: '/repos/:owner/:repo/pulls/comments',
    docs: 'pulls#list-review-comments-in-a-repository',
    policy: mayRead,
    formats: ['raw', 'text', 'html', 'full'],
    cacheable: true,
    async handle(request, { repository }, ports) {
      const filter = readRepositoryCommentFilter(request.query);
      const of = { kind: 'repository', id: repository.id } as const;
      const { body, total } = await describeReviewComments(ports, repository, request, (sql) =>
        listReviewComments(sql, of, filter, request.page),
      );
      return pageResult(body, total);
    },
  }),

  repositoryEndpoint({
    operation: 'pulls/list-review-comments',
    method: 'GET',
    path: '/repos/:owner/:repo/pulls/:pull_number/comments',
    docs: 'pulls#list-review-comments-on-a-pull-request',
    policy: mayRead,
    formats: ['raw', 'text', 'html', 'full'],
    cacheable: true,
    async handle(request, { repository }, ports) {
      const filter = readRepositoryCommentFilter(request.query);
      const { body, total } = await describeReviewComments(
        ports,
        repository,
        request,
        async (sql) => {
          const { id } = await getPull(sql, repository, request.path.pull_number);
          return listReviewComments(sql, { kind: 'pull', id }, filter, request.page);
        },
      );
      return pageResult(body, total);
    },
  }),

  repositoryEndpoint({
    operation: 'pulls/list-comments-for-review',
    method: 'GET',
    path: '/repos/:owner/:repo/pulls/:pull_number/reviews/:review_id/comments',
    docs: 'pulls#list-comments-for-a-pull-request-review',
    policy: mayRead,
    formats: ['raw', 'text', 'html', 'full'],
    cacheable: true,
    async handle(request, { repository }, ports) {
      const { path, caller, page } = request;
      const { body, total } = await describeReviewComments(
        ports,
        repository,
        request,
        async (sql) => {
          const pull = await getPull(sql, repository, path.pull_number);
          const review = await getReview(sql, pull, path.review_id, caller);
          return commentsOfReview(sql, review.id, page);
        },
      );
      return pageResult(body, total);
    },
  }),

  repositoryEndpoint({
    operation: 'pulls/get-review-comment',
    method: 'GET',
    path: '/repos/:owner/:repo/pulls/comments/:comment_id',
    docs: 'pulls#get-a-review-comment-for-a-pull-request',
    policy: mayRead,
    formats: ['raw', 'text', 'html', 'full'],
    cacheable: true,
    async handle(request, { repository }, ports) {
      return ok(await describeReviewComment(ports, repository, request.path.comment_id, request));
    },
  }),

  repositoryEndpoint({
    operation: 'pulls/create-review-comment',
    method: 'POST',
    path: '/repos/:owner/:repo/pulls/:pull_number/comments',
    docs: 'pulls#create-a-review-comment-for-a-pull-request',
    policy: mayComment,
    formats: ['raw', 'text', 'html', 'full'],
    body: Type.Object({
      body: Type.String(),
      commit_id: Type.Optional(Type.String()),
      path: Type.Optional(Type.String()),
      ...diffPositionProperties,
      // With `in_reply_to`, all fields but `body` are ignored.
      in_reply_to: Type.Optional(
        nullable(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
      ),
    }),
    async handle(request, access, ports) {
      const { body: requested, caller, path, now, urls } = request;
      const { repository } = access;
      checkReviewCommentBody(requested.body);
      const readTarget = async (): Promise<WriteReviewCommentInput['on']> => {
        if (typeof requested.in_reply_to === 'number') return { replyTo: requested.in_reply_to };
        const { commit_id: commitId, path: file } = requested;
        if (commitId === undefined || file === undefined) {
          return invalid(...missing({ commit_id: commitId, path: file }));
        }
        const input = readDiffPosition(requested);
        const pull = await ports.database.read((sql) => getPull(sql, repository, path.pull_number));
        const git = ports.git.repository(repository.id);
        const commit = await reviewedCommit(git, pull, commitId, resource);
        const position = validatePosition(await commentableDiff(git, pull, commit), file, input);
        await pinCommentedCommit(git, commit);
        return { position };
      };
      const id = await writeReviewComment(ports, access, {
        caller,
        pullNumber: path.pull_number,
        body: requested.body,
        now,
        on: await readTarget(),
      });
      const representation = await describeReviewComment(ports, repository, id, request);
      return created(representation, urls.reviewComment(fullName(repository), id));
    },
  }),

  repositoryEndpoint({
    operation: 'pulls/create-reply-for-review-comment',
    method: 'POST',
    path: '/repos/:owner/:repo/pulls/:pull_number/comments/:comment_id/replies',
    docs: 'pulls#create-a-reply-for-a-review-comment',
    policy: mayComment,
    formats: ['raw', 'text', 'html', 'full'],
    body: Type.Object({ body: Type.String() }),
    async handle(request, access, ports) {
      const { caller, path, now, urls } = request;
      const { repository } = access;
      const { body } = request.body;
      checkReviewCommentBody(body);
      await ports.database.read(async (sql) => {
        const pull = await getPull(sql, repository, path.pull_number);
        const repliedTo = await findReviewComment(sql, repository.id, path.comment_id);
        if (repliedTo?.pullId !== pull.id) notFound();
      });
      const id = await writeReviewComment(ports, access, {
        caller,
        pullNumber: path.pull_number,
        body,
        now,
        on: { replyTo: path.comment_id },
      });
      const representation = await describeReviewComment(ports, repository, id, request);
      return created(representation, urls.reviewComment(fullName(repository), id));
    },
  }),

  repositoryEndpoint({
    operation: 'pulls/update-review-comment',
    method: 'PATCH',
    path: '/repos/:owner/:repo/pulls/comments/:comment_id',
    docs: 'pulls#update-a-review-comment-for-a-pull-request',
    policy: mayComment,
    formats: ['raw', 'text', 'html', 'full'],
    body: Type.Object({ body: Type.String() }),
    async handle(request, access, ports) {
      const { body } = request.body;
      checkReviewCommentBody(body);
      await changeReviewComment(ports, access, request, async (sql, comment) => {
        await editReviewComment(sql, comment.id, body, request.now);
        if (body === comment.body) return undefined;
        return { action: 'edited', changes: { body: { from: comment.body } } };
      });
      const { comment_id: id } = request.path;
      return ok(await describeReviewComment(ports, access.repository, id, request));
    },
  }),

  /** Replies to a deleted comment remain, as comments of their own. */
  repositoryEndpoint({
    operation: 'pulls/delete-review-comment',
    method: 'DELETE',
    path: '/repos/:owner/:repo/pulls/comments/:comment_id',
    docs: 'pulls#delete-a-review-comment-for-a-pull-request',
    policy: mayComment,
    async handle(request, access, ports) {
      await changeReviewComment(ports, access, request, async (sql, comment) => {
        await deleteReviewComment(sql, comment);
        await addReviewComments(sql, comment.pullId, -1);
        return { action: 'deleted', last: comment };
      });
      return noContent();
    },
  }),
];

function missing(fields: Readonly<Record<string, string | undefined>>): FieldError[] {
  return Object.entries(fields).flatMap(([field, value]) =>
    value === undefined ? [{ resource, field, code: 'missing_field' }] : [],
  );
}
