import Type from 'typebox';

import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { created } from '../../http/reply.ts';
import { mayTriage } from '../../issues/issue-policies.ts';
import { fullName } from '../../model/repository.ts';
import { changeReviewRequests } from '../../pulls/merging/change-review-requests.ts';
import { requestReview } from '../review-request-store.ts';
import { requestTeamReview } from '../../teams/team-request-store.ts';
import { requestableTeams } from '../requested-teams.ts';
import { requestablePeople } from '../requested-people.ts';

export const requestReviewers = repositoryEndpoint({
  operation: 'pulls/request-reviewers',
  method: 'POST',
  path: '/repos/:owner/:repo/pulls/:pull_number/requested_reviewers',
  docs: 'pulls#request-reviewers-for-a-pull-request',
  need: mayTriage,
  body: Type.Object({
    reviewers: Type.Optional(Type.Array(Type.String())),
    team_reviewers: Type.Optional(Type.Array(Type.String())),
  }),
  async handle(request, { repository }, ports) {
    const { body, path, urls } = request;
    const described = await changeReviewRequests(
      ports,
      repository,
      request,
      async (sql, pull, tell) => {
        const people = await requestablePeople(sql, repository, pull, body.reviewers ?? []);
        const teams = await requestableTeams(sql, repository, body.team_reviewers ?? []);
        for (const reviewerId of people) {
          if (await requestReview(sql, pull.id, reviewerId)) {
            await tell('review_requested', { reviewerId });
          }
        }
        for (const teamId of teams) {
          if (await requestTeamReview(sql, pull.id, teamId)) {
            await tell('review_requested', { teamId });
          }
        }
      },
    );
    return created(described, urls.pull(fullName(repository), path.pull_number));
  },
});
