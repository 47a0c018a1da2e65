import { representAccount } from '../../accounts/account-json.ts';
import { accountsById } from '../../accounts/account-store.ts';
import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { requestedTeams } from '../../teams/team-request-store.ts';
import { representTeam } from '../../teams/team-json.ts';
import { requiredPull } from '../change-review.ts';
import { requestedReviewers } from '../review-request-store.ts';

export const listRequestedReviewers = repositoryEndpoint({
  operation: 'pulls/list-requested-reviewers',
  method: 'GET',
  path: '/repos/:owner/:repo/pulls/:pull_number/requested_reviewers',
  docs: 'pulls#list-requested-reviewers-for-a-pull-request',
  need: mayRead,
  cacheable: true,
  async handle({ path, urls }, { repository }, { database }) {
    return database.read(async (sql) => {
      const pull = await requiredPull(sql, repository, path.pull_number);
      const ids = (await requestedReviewers(sql, [pull.id])).get(pull.id) ?? [];
      const accounts = [...(await accountsById(sql, ids)).values()];
      const teams = (await requestedTeams(sql, [pull.id])).get(pull.id) ?? [];
      return ok({
        users: accounts.map((account) => representAccount(account, urls)),
        teams: teams.map((team) => representTeam(team, urls)),
      });
    });
  },
});
