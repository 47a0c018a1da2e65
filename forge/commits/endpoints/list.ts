import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { page as replyPage } from '../../http/reply.ts';
import { readCommitFilter } from '../commit-filter.ts';
import { describeCommits } from '../describe-commits.ts';
import { isEmpty, refuseEmpty } from '../named-commit.ts';

export const listCommits = repositoryEndpoint({
  operation: 'repos/list-commits',
  method: 'GET',
  path: '/repos/:owner/:repo/commits',
  docs: 'repos#list-commits',
  need: mayRead,
  cacheable: true,
  async handle({ query, page, urls }, { repository }, ports) {
    const git = ports.git.repository(repository.id);
    const from = await git.resolveCommit(query.get('sha') || repository.defaultBranch);
    if (!from) return (await isEmpty(git, repository)) ? refuseEmpty() : notFound();
    const filter = await ports.database.read((sql) => readCommitFilter(sql, query));
    if (!filter) return replyPage([], 0);
    // One more than is shown tells whether there is another page; counting a long history costs as much as reading it.
    const found = await git.log({ ...filter, from, skip: page.offset, max: page.size + 1 });
    const shown = found.slice(0, page.size);
    return replyPage(
      await ports.database.read((sql) => describeCommits(sql, shown, repository, urls)),
      { hasNext: found.length > page.size },
    );
  },
});
