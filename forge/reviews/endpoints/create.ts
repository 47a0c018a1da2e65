import Type from 'typebox';

import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { invalid } from '../../conventions/refusal.ts';
import { ok } from '../../conventions/reply.ts';
import { choice, orNull } from '../../conventions/shapes.ts';
import type { GitRepository } from '../../git/git.ts';
import { type ObjectId, parseObjectId } from '../../git/names.ts';
import { maySpeak } from '../../issues/issue-needs.ts';
import type { Pull } from '../../pulls/pull.ts';
import { changeReviews, requiredPull } from '../change-review.ts';
import { dropRequest } from '../request-store.ts';
import { hasDraft, insertReview } from '../review-store.ts';
import { reviewEvents, stateAfter } from '../review.ts';
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
    comments: Type.Optional(orNull(Type.Array(Type.Unknown()))),
  }),
  async handle(request, access, ports) {
    const { body, path, now } = request;
    const text = body.body ?? '';
    checkReviewBody(text);
    if ((body.comments ?? []).length > 0) {
      invalid(custom('comments', 'This server has no comments on lines.'));
    }
    const event = body.event === 'PENDING' ? undefined : (body.event ?? undefined);
    const looked = await ports.database.read((sql) =>
      requiredPull(sql, access.repository, path.pull_number),
    );
    const git = ports.git.repository(access.repository.id);
    const commitSha = await reviewedCommit(git, looked, body.commit_id ?? undefined);
    const described = await changeReviews(ports, access, request, async (sql, pull, authorId) => {
      if (event) {
        checkVerdict(pull, authorId, event, text);
        await dropRequest(sql, pull.id, authorId);
      } else if (await hasDraft(sql, pull.id, authorId)) {
        invalid(custom('event', 'User can only have one pending review per pull request'));
      }
      return insertReview(sql, access.repository.id, {
        pullId: pull.id,
        authorId,
        body: text,
        state: event ? stateAfter[event] : 'PENDING',
        commitSha,
        submittedAt: event ? now : null,
      });
    });
    return ok(described);
  },
});

/** The head, unless an older commit of it is named. */
async function reviewedCommit(
  git: GitRepository,
  pull: Pull,
  named: string | undefined,
): Promise<ObjectId> {
  if (named === undefined) return pull.head.sha;
  const sha = parseObjectId(named);
  const known = sha && (await git.readCommit(sha)) && (await git.isAncestor(sha, pull.head.sha));
  const error = custom('commit_id', 'commit_id is not part of the pull request');
  return sha && known ? sha : invalid({ ...error, value: named });
}
