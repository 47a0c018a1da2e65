import { usersByEmail } from '../../accounts/account-store.ts';
import { mayRead } from '../../repositories/repository-access.ts';
import { emailsOf, representCommit } from '../../commits/commit-json.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { page } from '../../http/reply.ts';
import { findPull } from '../pull-store.ts';

/** Longer pulls show their first 250 commits. */
const commitsMax = 250;

export const listPullCommits = repositoryEndpoint({
  operation: 'pulls/list-commits',
  method: 'GET',
  path: '/repos/:owner/:repo/pulls/:pull_number/commits',
  docs: 'pulls#list-commits-on-a-pull-request',
  need: mayRead,
  cacheable: true,
  async handle(request, { repository }, { database, git }) {
    const { path, urls } = request;
    const pull = await database.read((sql) => findPull(sql, repository.id, path.pull_number));
    if (!pull) return notFound();
    const total = Math.min(pull.size.commits, commitsMax);
    const commits = await git.repository(repository.id).log({
      from: pull.head.sha,
      notIn: [pull.base.sha],
      max: Math.min(request.page.size, Math.max(0, total - request.page.offset)),
      skip: request.page.offset,
      reverse: true,
    });
    const users = await database.read((sql) => usersByEmail(sql, emailsOf(commits)));
    return page(
      commits.map((commit) => representCommit(commit, repository, users, urls)),
      total,
      { lastModified: pull.updatedAt },
    );
  },
});
