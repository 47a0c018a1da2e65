import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { page as replyPage } from '../../http/reply.ts';
import type { Ref } from '../../git/git.ts';
import { fullName } from '../../model/repository.ts';
import { representShortBranch } from '../branch-json.ts';
import { protectedBranches } from '../protection-store.ts';

export const listBranches = repositoryEndpoint({
  operation: 'repos/list-branches',
  method: 'GET',
  path: '/repos/:owner/:repo/branches',
  docs: 'repos#list-branches',
  need: mayRead,
  cacheable: true,
  async handle({ query, page, urls }, { repository }, { git, database }) {
    const names = await database.read((sql) => protectedBranches(sql, repository.id));
    const isProtected = (ref: Ref): boolean => names.has(ref.name.slice('refs/heads/'.length));
    const wanted = query.get('protected');
    const all = await git.repository(repository.id).listRefs('refs/heads/');
    const branches =
      wanted === 'true' || wanted === 'false'
        ? all.filter((ref) => isProtected(ref) === (wanted === 'true'))
        : all;
    return replyPage(
      branches
        .slice(page.offset, page.offset + page.size)
        .map((ref) => representShortBranch(ref, isProtected(ref), fullName(repository), urls)),
      branches.length,
    );
  },
});
