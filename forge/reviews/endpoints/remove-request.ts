import Type from 'typebox';

import { findAccount } from '../../accounts/account-store.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { mayTriage } from '../../issues/issue-policies.ts';
import { dropTeamRequest } from '../../teams/team-request-store.ts';
import { findTeam } from '../../teams/team-store.ts';
import { changeReviewRequests } from '../../pulls/merging/change-review-requests.ts';
import { dropRequest } from '../review-request-store.ts';

/** People and teams who were not asked are passed over. */
export const removeRequestedReviewers = repositoryEndpoint({
  operation: 'pulls/remove-requested-reviewers',
  method: 'DELETE',
  path: '/repos/:owner/:repo/pulls/:pull_number/requested_reviewers',
  docs: 'pulls#remove-requested-reviewers-from-a-pull-request',
  need: mayTriage,
  body: Type.Object({
    reviewers: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
    team_reviewers: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
  }),
  async handle(request, { repository }, ports) {
    const { reviewers = [], team_reviewers: teams = [] } = request.body;
    const described = await changeReviewRequests(
      ports,
      repository,
      request,
      async (sql, pull, tell) => {
        for (const login of reviewers) {
          const account = await findAccount(sql, login);
          if (account && (await dropRequest(sql, pull.id, account.id))) {
            await tell('review_request_removed', { reviewerId: account.id });
          }
        }
        for (const slug of teams) {
          const team = await findTeam(sql, repository.owner.id, slug);
          if (team && (await dropTeamRequest(sql, pull.id, team.id))) {
            await tell('review_request_removed', { teamId: team.id });
          }
        }
      },
    );
    return ok(described);
  },
});
