import { mayRead } from '../../access/repository-access.ts';
import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { page as replyPage } from '../../conventions/reply.ts';
import { fullName } from '../../repositories/repository.ts';
import { representShortBranch } from '../branch-representation.ts';

export const listBranches = repositoryEndpoint({
  operation: 'repos/list-branches',
  method: 'GET',
  path: '/repos/:owner/:repo/branches',
  docs: 'repos#list-branches',
  need: mayRead,
  kept: true,
  async handle({ query, page, urls }, { repository }, { git }) {
    // No branch has rules yet: those that are protected are none.
    const wanted = query.get('protected') !== 'true';
    const branches = wanted ? await git.repository(repository.id).listRefs('refs/heads/') : [];
    return replyPage(
      branches
        .slice(page.offset, page.offset + page.size)
        .map((ref) => representShortBranch(ref, fullName(repository), urls)),
      branches.length,
    );
  },
});
