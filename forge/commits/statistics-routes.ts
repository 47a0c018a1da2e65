import { usersByEmail } from '../accounts/account-store.ts';
import { refuse } from '../errors/api-error.ts';
import { commitsWithLinesMax, type HistoryStatistics } from '../git/history-summary.ts';
import { branchRef, parseBranchName } from '../git/names.ts';
import { accepted, noContent, ok, type EndpointResult } from '../http/endpoint-result.ts';
import type { Json } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';
import type { Repository } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { mayRead } from '../repositories/repository-access.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { daysOfUser, daysOfUsers } from './author-days.ts';
import {
  codeFrequency,
  commitActivity,
  contributorWeeks,
  participation,
  punchCard,
  weeksOf,
} from './statistics-json.ts';

/** Users in the statistics of contributors, those with the most commits, as on GitHub. */
const usersMax = 100;

interface StatisticsRequest {
  readonly found: HistoryStatistics;
  readonly repository: Repository;
  readonly ports: Ports;
  /** Days since the epoch. */
  readonly today: number;
  readonly urls: Urls;
}

/** Numbers of the history of the default branch. Answers 202 while they are counted; the answers depend on the day. */
export const statisticsRoutes: readonly Endpoint[] = [
  statistic(
    'repos/get-contributors-stats',
    '/repos/:owner/:repo/stats/contributors',
    'get-all-contributor-commit-activity',
    async ({ found, ports, today, urls }) => {
      const users = await ports.database.read((sql) =>
        usersByEmail(
          sql,
          found.authors.map(({ email }) => email),
        ),
      );
      const weeks = weeksOf(found.days, today);
      return daysOfUsers(found.authors, users)
        .slice(0, usersMax)
        .toReversed()
        .map(({ user, days }) => contributorWeeks(user, days, weeks, urls));
    },
  ),

  statistic(
    'repos/get-commit-activity-stats',
    '/repos/:owner/:repo/stats/commit_activity',
    'get-the-last-year-of-commit-activity',
    ({ found, today }) => commitActivity(found.days, today),
  ),

  statistic(
    'repos/get-code-frequency-stats',
    '/repos/:owner/:repo/stats/code_frequency',
    'get-the-weekly-commit-activity',
    ({ found, today }) => {
      if (found.commits >= commitsWithLinesMax) {
        const message = `Lines are counted in repositories with fewer than ${commitsWithLinesMax} commits.`;
        return refuse({ kind: 'unprocessable', message });
      }
      return codeFrequency(found.days, today);
    },
  ),

  statistic(
    'repos/get-participation-stats',
    '/repos/:owner/:repo/stats/participation',
    'get-the-weekly-commit-count',
    async ({ found, repository, ports, today }) => {
      const { authors } = found;
      const emails = authors.map(({ email }) => email);
      const users = await ports.database.read((sql) => usersByEmail(sql, emails));
      const days = daysOfUser(authors, users, repository.owner.id);
      return { all: participation(found.days, today), owner: participation(days, today) };
    },
  ),

  statistic(
    'repos/get-punch-card-stats',
    '/repos/:owner/:repo/stats/punch_card',
    'get-the-hourly-commit-count-for-each-day',
    ({ found }) => punchCard(found.hours),
  ),
];

function statistic(
  operation: string,
  path: `/repos/:owner/:repo/stats/${string}`,
  anchor: string,
  answer: (asked: StatisticsRequest) => Json | Promise<Json>,
): Endpoint {
  return repositoryEndpoint({
    operation,
    method: 'GET',
    path,
    docs: `repos#${anchor}`,
    acceptedScopes: 'repo',
    policy: mayRead,
    async handle({ urls }, { repository }, ports): Promise<EndpointResult> {
      const git = ports.git.repository(repository.id);
      const branch = parseBranchName(repository.defaultBranch);
      const tip = branch && (await git.readRef(branchRef(branch)));
      if (!tip) return noContent();
      const found = await git.statistics(tip);
      if (!found) return accepted({});
      const today = Math.floor(ports.clock.now() / 86_400_000);
      return ok(await answer({ found, repository, ports, today, urls }));
    },
  });
}
