import { mayAdminister } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { noContent, ok } from '../../http/reply.ts';
import { changePart, describePart, type ProtectionContext } from '../change-protection.ts';
import { requiredReviews } from '../protection-parts.ts';
import { maySeeRules } from '../read-protection.ts';
import { representReviewRules } from '../protection-json.ts';
import { reviewRulesOf, reviewsBody } from '../protection-input.ts';

const path = '/repos/:owner/:repo/branches/:branch/protection/required_pull_request_reviews';

const describe = ({ rules, url }: ProtectionContext): ReturnType<typeof representReviewRules> =>
  representReviewRules(requiredReviews(rules), url);

export const getReviewProtection = repositoryEndpoint({
  operation: 'repos/get-pull-request-review-protection',
  method: 'GET',
  path,
  docs: 'repos#get-pull-request-review-protection',
  need: maySeeRules,
  cacheable: true,
  async handle(request, access, ports) {
    return ok(await describePart(ports, access, request, describe));
  },
});

/** Demands reviews where none were demanded; what the body leaves out stays. */
export const updateReviewProtection = repositoryEndpoint({
  operation: 'repos/update-pull-request-review-protection',
  method: 'PATCH',
  path,
  docs: 'repos#update-pull-request-review-protection',
  need: mayAdminister,
  body: reviewsBody,
  async handle(request, access, ports) {
    const described = await changePart(
      ports,
      access,
      request,
      (_sql, rules) => ({ ...rules, reviews: reviewRulesOf(request.body, rules.reviews) }),
      describe,
    );
    return ok(described);
  },
});

export const removeReviewProtection = repositoryEndpoint({
  operation: 'repos/delete-pull-request-review-protection',
  method: 'DELETE',
  path,
  docs: 'repos#delete-pull-request-review-protection',
  need: mayAdminister,
  async handle(request, access, ports) {
    await changePart(ports, access, request, (_sql, rules) => {
      requiredReviews(rules);
      return { ...rules, reviews: undefined };
    });
    return noContent();
  },
});
