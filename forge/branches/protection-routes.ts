import { notFound } from '../errors/api-error.ts';
import { writeRepository } from '../events/invalidate.ts';
import { ok, noContent } from '../http/endpoint-result.ts';
import { mayAdminister } from '../repositories/repository-access.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import {
  changePart,
  describePart,
  type ProtectionContext,
  getReviewRules,
} from './change-protection.ts';
import { describeRules, maySeeRules, getBranch } from './read-protection.ts';
import { rulesBody, rulesOfBody, reviewRulesOf, reviewsBody } from './protection-input.ts';
import { representReviewRules, representEnforcement } from './protection-json.ts';
import { putRules, deleteRules } from './protection-store.ts';

const reviewsPath = '/repos/:owner/:repo/branches/:branch/protection/required_pull_request_reviews';

const describeReviews = ({
  rules,
  url,
}: ProtectionContext): ReturnType<typeof representReviewRules> =>
  representReviewRules(getReviewRules(rules), url);

const adminsPath = '/repos/:owner/:repo/branches/:branch/protection/enforce_admins';

const describeAdmins = ({
  rules,
  url,
}: ProtectionContext): ReturnType<typeof representEnforcement> => representEnforcement(rules, url);

/** The protection of a branch as a whole, its rules for administrators and for reviews. */
export const protectionRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'repos/get-branch-protection',
    method: 'GET',
    path: '/repos/:owner/:repo/branches/:branch/protection',
    docs: 'repos#get-branch-protection',
    policy: maySeeRules,
    cacheable: true,
    async handle({ path, urls }, { repository }, { database, git }) {
      const branch = await getBranch(git, repository, path.branch);
      return ok(await database.read((sql) => describeRules(sql, repository, branch, urls)));
    },
  }),

  repositoryEndpoint({
    operation: 'repos/update-branch-protection',
    method: 'PUT',
    path: '/repos/:owner/:repo/branches/:branch/protection',
    docs: 'repos#update-branch-protection',
    policy: mayAdminister,
    body: rulesBody,
    async handle({ body, path, urls }, { repository }, { database, git }) {
      const branch = await getBranch(git, repository, path.branch);
      const representation = await writeRepository(database, repository.id, async (sql) => {
        await putRules(sql, repository.id, await rulesOfBody(sql, repository, branch, body));
        return describeRules(sql, repository, branch, urls);
      });
      return ok(representation);
    },
  }),

  /** Also removes the rules of a deleted branch, which nothing else could remove. */
  repositoryEndpoint({
    operation: 'repos/delete-branch-protection',
    method: 'DELETE',
    path: '/repos/:owner/:repo/branches/:branch/protection',
    docs: 'repos#delete-branch-protection',
    policy: mayAdminister,
    async handle({ path }, { repository }, { database }) {
      await writeRepository(database, repository.id, async (sql) => {
        const deleted = await deleteRules(sql, repository.id, path.branch);
        // Inside the transaction, so that a refusal invalidates no cached response.
        if (!deleted) notFound('Branch not protected');
      });
      return noContent();
    },
  }),

  repositoryEndpoint({
    operation: 'repos/get-pull-request-review-protection',
    method: 'GET',
    path: reviewsPath,
    docs: 'repos#get-pull-request-review-protection',
    policy: maySeeRules,
    cacheable: true,
    async handle(request, access, ports) {
      return ok(await describePart(ports, access, request, describeReviews));
    },
  }),

  /** Demands reviews where none were demanded; what the body leaves out stays. */
  repositoryEndpoint({
    operation: 'repos/update-pull-request-review-protection',
    method: 'PATCH',
    path: reviewsPath,
    docs: 'repos#update-pull-request-review-protection',
    policy: mayAdminister,
    body: reviewsBody,
    async handle(request, access, ports) {
      const representation = await changePart(
        ports,
        access,
        request,
        (_sql, rules) => ({ ...rules, reviews: reviewRulesOf(request.body, rules.reviews) }),
        describeReviews,
      );
      return ok(representation);
    },
  }),

  repositoryEndpoint({
    operation: 'repos/delete-pull-request-review-protection',
    method: 'DELETE',
    path: reviewsPath,
    docs: 'repos#delete-pull-request-review-protection',
    policy: mayAdminister,
    async handle(request, access, ports) {
      await changePart(ports, access, request, (_sql, rules) => {
        getReviewRules(rules);
        return { ...rules, reviews: undefined };
      });
      return noContent();
    },
  }),

  repositoryEndpoint({
    operation: 'repos/get-admin-branch-protection',
    method: 'GET',
    path: adminsPath,
    docs: 'repos#get-admin-branch-protection',
    policy: maySeeRules,
    cacheable: true,
    async handle(request, access, ports) {
      return ok(await describePart(ports, access, request, describeAdmins));
    },
  }),

  repositoryEndpoint({
    operation: 'repos/set-admin-branch-protection',
    method: 'POST',
    path: adminsPath,
    docs: 'repos#set-admin-branch-protection',
    policy: mayAdminister,
    async handle(request, access, ports) {
      const enforced = await changePart(
        ports,
        access,
        request,
        (_sql, rules) => ({ ...rules, enforceAdmins: true }),
        describeAdmins,
      );
      return ok(enforced);
    },
  }),

  repositoryEndpoint({
    operation: 'repos/delete-admin-branch-protection',
    method: 'DELETE',
    path: adminsPath,
    docs: 'repos#delete-admin-branch-protection',
    policy: mayAdminister,
    async handle(request, access, ports) {
      await changePart(ports, access, request, (_sql, rules) => ({
        ...rules,
        enforceAdmins: false,
      }));
      return noContent();
    },
  }),
];
