import { representAccount } from '../accounts/account-json.ts';
import { branchRef, parseBranchName } from '../git/names.ts';
import { noContent, page as pageResult } from '../http/endpoint-result.ts';
import type { Json } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';
import { type CountedContributor, contributorsOf } from '../repositories/contributors.ts';
import { mayRead } from '../repositories/repository-access.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';

/** The authors of the default branch. */
export const contributorRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'repos/list-contributors',
    method: 'GET',
    path: '/repos/:owner/:repo/contributors',
    docs: 'repos#list-repository-contributors',
    acceptedScopes: 'repo',
    policy: mayRead,
    transfer: true,
    cacheable: true,
    async handle({ query, page, urls }, { repository }, ports) {
      const git = ports.git.repository(repository.id);
      const branch = parseBranchName(repository.defaultBranch);
      const tip = branch && (await git.readRef(branchRef(branch)));
      if (!tip) return noContent();
      const contributors = await contributorsOf(ports.database, await git.contributors(tip));
      const anonymous = ['1', 'true'].includes(query.get('anon') ?? '');
      const counted = contributors.filter(({ user }) => user ?? anonymous);
      return pageResult(
        counted
          .slice(page.offset, page.offset + page.size)
          .map((each) => representContributor(each, urls)),
        counted.length,
      );
    },
  }),
];

function representContributor(counted: CountedContributor, urls: Urls): Json {
  const contributions = counted.commits;
  if (counted.user) return { ...representAccount(counted.user, urls), contributions };
  const { name, email } = counted.author;
  return { email, name, type: 'Anonymous', contributions };
}
