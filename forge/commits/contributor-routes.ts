import { representAccount } from '../accounts/account-json.ts';
import { usersByEmail } from '../accounts/account-store.ts';
import type { Contributor } from '../git/history-summary.ts';
import { branchRef, parseBranchName } from '../git/names.ts';
import { noContent, page as replyPage } from '../http/reply.ts';
import type { Json } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';
import { type Account, caseless } from '../model/account.ts';
import { mayRead } from '../repositories/repository-access.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';

/** Users are found for so many addresses, those with the most commits; others are anonymous, as on GitHub. */
const addressesMax = 500;

/** A user with the commits under all of their addresses, or an author who is none. */
type Counted =
  | { readonly user: Account; commits: number }
  | { readonly user: undefined; readonly author: Contributor; commits: number };

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
      const authors = await git.contributors(tip);
      const emails = authors.slice(0, addressesMax).map(({ email }) => email);
      const users = await ports.database.read((sql) => usersByEmail(sql, emails));
      const anonymous = ['1', 'true'].includes(query.get('anon') ?? '');
      const counted = countByUser(authors, users).filter(({ user }) => user ?? anonymous);
      return replyPage(
        counted
          .slice(page.offset, page.offset + page.size)
          .map((each) => representContributor(each, urls)),
        counted.length,
      );
    },
  }),
];

function countByUser(
  authors: readonly Contributor[],
  users: ReadonlyMap<string, Account>,
): Counted[] {
  const counted = new Map<number | string, Counted>();
  for (const author of authors) {
    const address = caseless(author.email);
    const user = users.get(address);
    const known = counted.get(user?.id ?? address);
    if (known) known.commits += author.commits;
    else counted.set(user?.id ?? address, { user, author, commits: author.commits });
  }
  return [...counted.values()].toSorted((one, other) => other.commits - one.commits);
}

function representContributor(counted: Counted, urls: Urls): Json {
  const contributions = counted.commits;
  if (counted.user) return { ...representAccount(counted.user, urls), contributions };
  const { name, email } = counted.author;
  return { email, name, type: 'Anonymous', contributions };
}
