import Type from 'typebox';

import type { Sql } from '#platform/database/database.ts';

import { representAccount } from '../accounts/account-json.ts';
import { accountsById, findAccount } from '../accounts/account-store.ts';
import { ok, created } from '../http/endpoint-result.ts';
import { mayTriage, mayRead } from '../repositories/repository-access.ts';
import { fullName, type Repository } from '../model/repository.ts';
import { changeReviewRequests } from '../pulls/operations/change-review-requests.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { representTeam } from '../teams/team-json.ts';
import { teamPermission } from '../teams/team-repository-store.ts';
import { findTeam } from '../teams/team-store.ts';
import { getPull } from './change-review.ts';
import {
  requestablePeople,
  refuseOutsider,
  refuseTooManyReviewers,
  reviewersMax,
} from './requested-people.ts';
import {
  dropRequest,
  type RequestedReviewer,
  requestedReviewers,
  requestedTeams,
  requestReview,
} from './review-request-store.ts';

/** Review requests of a pull request. */
export const reviewRequestRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'pulls/list-requested-reviewers',
    method: 'GET',
    path: '/repos/:owner/:repo/pulls/:pull_number/requested_reviewers',
    docs: 'pulls#list-requested-reviewers-for-a-pull-request',
    policy: mayRead,
    cacheable: true,
    async handle({ path, caller, urls }, { repository }, { database }) {
      return database.read(async (sql) => {
        const pull = await getPull(sql, repository, path.pull_number);
        const ids = (await requestedReviewers(sql, [pull.id])).get(pull.id) ?? [];
        const accounts = [...(await accountsById(sql, ids)).values()];
        const teams = (await requestedTeams(sql, [pull.id], caller)).get(pull.id) ?? [];
        return ok({
          users: accounts.map((account) => representAccount(account, urls)),
          teams: teams.map((team) => representTeam(team, urls)),
        });
      });
    },
  }),

  repositoryEndpoint({
    operation: 'pulls/request-reviewers',
    method: 'POST',
    path: '/repos/:owner/:repo/pulls/:pull_number/requested_reviewers',
    docs: 'pulls#request-reviewers-for-a-pull-request',
    policy: mayTriage,
    body: Type.Object({
      reviewers: Type.Optional(Type.Array(Type.String())),
      team_reviewers: Type.Optional(Type.Array(Type.String())),
    }),
    async handle(request, { repository }, ports) {
      const { body, path, urls } = request;
      const representation = await changeReviewRequests(
        ports,
        repository,
        request,
        async (sql, pull, emit) => {
          const people = await requestablePeople(sql, repository, pull, body.reviewers ?? []);
          const teams = await requestableTeams(sql, repository, body.team_reviewers ?? []);
          for (const reviewer of [...people, ...teams]) {
            if (await requestReview(sql, pull.id, reviewer)) {
              await emit('review_requested', reviewer);
            }
          }
        },
      );
      return created(representation, urls.pull(fullName(repository), path.pull_number));
    },
  }),

  /** Users and teams without a review request are ignored. */
  repositoryEndpoint({
    operation: 'pulls/remove-requested-reviewers',
    method: 'DELETE',
    path: '/repos/:owner/:repo/pulls/:pull_number/requested_reviewers',
    docs: 'pulls#remove-requested-reviewers-from-a-pull-request',
    policy: mayTriage,
    body: Type.Object({
      reviewers: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
      team_reviewers: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
    }),
    async handle(request, { repository }, ports) {
      const representation = await changeReviewRequests(
        ports,
        repository,
        request,
        async (sql, pull, emit) => {
          for (const reviewer of await findReviewers(sql, repository, request.body)) {
            if (await dropRequest(sql, pull.id, reviewer)) {
              await emit('review_request_removed', reviewer);
            }
          }
        },
      );
      return ok(representation);
    },
  }),
];

/** The teams of the slugs, or a refusal if one of them has no permission in the repository. */
async function requestableTeams(
  sql: Sql,
  repository: Repository,
  slugs: readonly string[],
): Promise<RequestedReviewer[]> {
  if (slugs.length > reviewersMax) refuseTooManyReviewers('teams');
  const reviewers: RequestedReviewer[] = [];
  for (const slug of slugs) {
    const team = await findTeam(sql, repository.owner.id, slug);
    if (!team || (await teamPermission(sql, team.id, repository.id)) === undefined) {
      return refuseOutsider(repository);
    }
    reviewers.push({ teamId: team.id });
  }
  return reviewers;
}

interface ReviewerNames {
  readonly reviewers?: readonly string[] | undefined;
  readonly team_reviewers?: readonly string[] | undefined;
}

/** The users and teams of the names that exist. */
async function findReviewers(
  sql: Sql,
  repository: Repository,
  { reviewers = [], team_reviewers: slugs = [] }: ReviewerNames,
): Promise<RequestedReviewer[]> {
  const found: RequestedReviewer[] = [];
  for (const login of reviewers) {
    const account = await findAccount(sql, login);
    if (account) found.push({ reviewerId: account.id });
  }
  for (const slug of slugs) {
    const team = await findTeam(sql, repository.owner.id, slug);
    if (team) found.push({ teamId: team.id });
  }
  return found;
}
