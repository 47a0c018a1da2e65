import Type from 'typebox';

import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { type FieldError, invalid } from '../../errors/api-error.ts';
import { created } from '../../http/reply.ts';
import { orNull } from '../../http/schemas.ts';
import { maySpeak } from '../../issues/issue-policies.ts';
import { fullName } from '../../model/repository.ts';
import { requiredPull } from '../../reviews/change-review.ts';
import { reviewedCommit } from '../../reviews/reviewed-commit.ts';
import { validatePosition, commentableDiff } from '../validate-position.ts';
import { describeReviewComment } from '../describe-review-comments.ts';
import { diffPositionProperties, readDiffPosition } from '../diff-position-input.ts';
import { checkReviewCommentBody, resource } from '../../model/review-comment.ts';
import { keepCommented, type WrittenComment, writeReviewComment } from '../write-review-comment.ts';

export const createReviewComment = repositoryEndpoint({
  operation: 'pulls/create-review-comment',
  method: 'POST',
  path: '/repos/:owner/:repo/pulls/:pull_number/comments',
  docs: 'pulls#create-a-review-comment-for-a-pull-request',
  need: maySpeak,
  formats: ['raw', 'text', 'html', 'full'],
  body: Type.Object({
    body: Type.String(),
    commit_id: Type.Optional(Type.String()),
    path: Type.Optional(Type.String()),
    ...diffPositionProperties,
    // Beside it nothing but the body counts.
    in_reply_to: Type.Optional(orNull(Type.Integer({ minimum: 1 }))),
  }),
  async handle(request, access, ports) {
    const { body: asked, caller, path, now, urls } = request;
    const { repository } = access;
    checkReviewCommentBody(asked.body);
    const wished = async (): Promise<WrittenComment['on']> => {
      if (typeof asked.in_reply_to === 'number') return { replyTo: asked.in_reply_to };
      const { commit_id: commitId, path: file } = asked;
      if (commitId === undefined || file === undefined) {
        return invalid(...missing({ commit_id: commitId, path: file }));
      }
      const wish = readDiffPosition(asked);
      const pull = await ports.database.read((sql) =>
        requiredPull(sql, repository, path.pull_number),
      );
      const git = ports.git.repository(repository.id);
      const commit = await reviewedCommit(git, pull, commitId, resource);
      const place = validatePosition(await commentableDiff(git, pull, commit), file, wish);
      await keepCommented(git, commit);
      return { place };
    };
    const id = await writeReviewComment(ports, access, {
      caller,
      pullNumber: path.pull_number,
      body: asked.body,
      now,
      on: await wished(),
    });
    const described = await describeReviewComment(ports, repository, id, request);
    return created(described, urls.reviewComment(fullName(repository), id));
  },
});

function missing(members: Readonly<Record<string, string | undefined>>): FieldError[] {
  return Object.entries(members).flatMap(([field, value]) =>
    value === undefined ? [{ resource, field, code: 'missing_field' }] : [],
  );
}
