import Type from 'typebox';

import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { invalid } from '../../errors/api-error.ts';
import { ok } from '../../http/reply.ts';
import { choice, orNull } from '../../http/schemas.ts';
import { maySpeak } from '../../issues/issue-policies.ts';
import {
  checkReviewComments,
  commentsMax,
  insertReviewComments,
  reviewCommentBody,
} from '../../review-comments/comments-of-review.ts';
import { addReviewComments } from '../../review-comments/review-comment-store.ts';
import { emitSubmittedReview } from '../../review-comments/emit-review-event.ts';
import { changeReviews, requiredPull } from '../change-review.ts';
import { clearReviewRequests } from '../clear-review-requests.ts';
import { hasDraft, insertReview } from '../review-store.ts';
import { reviewEvents, stateAfter } from '../../model/review.ts';
import { reviewedCommit } from '../reviewed-commit.ts';
import { checkReviewBody, checkVerdict, custom } from '../submit-review.ts';

export const createReview = repositoryEndpoint({
  operation: 'pulls/create-review',
  method: 'POST',
  path: '/repos/:owner/:repo/pulls/:pull_number/reviews',
  docs: 'pulls#create-a-review-for-a-pull-request',
  need: maySpeak,
  formats: ['raw', 'text', 'html', 'full'],
  body: Type.Object({
    body: Type.Optional(orNull(Type.String())),
    // Without one the review is a draft; PENDING says the same.
    event: Type.Optional(orNull(choice([...reviewEvents, 'PENDING']))),
    commit_id: Type.Optional(orNull(Type.String())),
    comments: Type.Optional(orNull(Type.Array(reviewCommentBody, { maxItems: commentsMax }))),
  }),
  async handle(request, access, ports) {
    const { body, path, now } = request;
    const text = body.body ?? '';
    checkReviewBody(text);
    const event = body.event === 'PENDING' ? undefined : (body.event ?? undefined);
    const looked = await ports.database.read((sql) =>
      requiredPull(sql, access.repository, path.pull_number),
    );
    const git = ports.git.repository(access.repository.id);
    const commit = body.commit_id ?? undefined;
    const commitSha = await reviewedCommit(git, looked, commit, 'PullRequestReview');
    const comments = await checkReviewComments(git, looked, commitSha, body.comments ?? []);
    const described = await changeReviews(ports, access, request, async (sql, pull, authorId) => {
      if (event) {
        checkVerdict(pull, authorId, event, text, comments.length);
        await clearReviewRequests(sql, pull.id, authorId);
      } else if (await hasDraft(sql, pull.id, authorId)) {
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
    });
    return ok(described);
  },
});
