import Type from 'typebox';

import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { created } from '../../http/reply.ts';
import { maySpeak } from '../../issues/issue-policies.ts';
import { fullName } from '../../model/repository.ts';
import { requiredPull } from '../../reviews/change-review.ts';
import { describeReviewComment } from '../describe-review-comments.ts';
import { findReviewComment } from '../review-comment-store.ts';
import { checkReviewCommentBody } from '../../model/review-comment.ts';
import { writeReviewComment } from '../write-review-comment.ts';

export const createReviewCommentReply = repositoryEndpoint({
  operation: 'pulls/create-reply-for-review-comment',
  method: 'POST',
  path: '/repos/:owner/:repo/pulls/:pull_number/comments/:comment_id/replies',
  docs: 'pulls#create-a-reply-for-a-review-comment',
  need: maySpeak,
  formats: ['raw', 'text', 'html', 'full'],
  body: Type.Object({ body: Type.String() }),
  async handle(request, access, ports) {
    const { caller, path, now, urls } = request;
    const { repository } = access;
    const { body } = request.body;
    checkReviewCommentBody(body);
    await ports.database.read(async (sql) => {
      const pull = await requiredPull(sql, repository, path.pull_number);
      const answered = await findReviewComment(sql, repository.id, path.comment_id);
      if (answered?.pullId !== pull.id) notFound();
    });
    const id = await writeReviewComment(ports, access, {
      caller,
      pullNumber: path.pull_number,
      body,
      now,
      on: { replyTo: path.comment_id },
    });
    const described = await describeReviewComment(ports, repository, id, request);
    return created(described, urls.reviewComment(fullName(repository), id));
  },
});
