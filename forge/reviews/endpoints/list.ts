import { callerAccountId } from '../../model/caller.ts';
import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { page as replyPage } from '../../http/reply.ts';
import { requiredPull } from '../change-review.ts';
import { describeReviews } from '../describe-reviews.ts';
import { listReviews } from '../review-store.ts';

export const listReviewsOfPull = repositoryEndpoint({
  operation: 'pulls/list-reviews',
  method: 'GET',
  path: '/repos/:owner/:repo/pulls/:pull_number/reviews',
  docs: 'pulls#list-reviews-for-a-pull-request',
  need: mayRead,
  formats: ['raw', 'text', 'html', 'full'],
  cacheable: true,
  async handle(request, { repository }, { database }) {
    const { path, caller, page } = request;
    return database.read(async (sql) => {
      const pull = await requiredPull(sql, repository, path.pull_number);
      const found = await listReviews(sql, pull.id, callerAccountId(caller), page);
      const body = await describeReviews(sql, repository, pull.number, found.reviews, request);
      return replyPage(body, found.total);
    });
  },
});
