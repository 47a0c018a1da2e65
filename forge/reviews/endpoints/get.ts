import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { ok } from '../../http/reply.ts';
import { requiredPull, requiredReview } from '../change-review.ts';
import { describeReviews } from '../describe-reviews.ts';

export const getReview = repositoryEndpoint({
  operation: 'pulls/get-review',
  method: 'GET',
  path: '/repos/:owner/:repo/pulls/:pull_number/reviews/:review_id',
  docs: 'pulls#get-a-review-for-a-pull-request',
  need: mayRead,
  formats: ['raw', 'text', 'html', 'full'],
  cacheable: true,
  async handle(request, { repository }, { database }) {
    const { path, caller } = request;
    return database.read(async (sql) => {
      const pull = await requiredPull(sql, repository, path.pull_number);
      const review = await requiredReview(sql, pull, path.review_id, caller);
      const [body] = await describeReviews(sql, repository, pull.number, [review], request);
      return body === undefined ? notFound() : ok(body);
    });
  },
});
