import { mayRead } from '../../repositories/repository-access.ts';
import { isEmpty, refuseEmpty } from '../../commits/named-commit.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { ok } from '../../http/reply.ts';
import { fullName } from '../../model/repository.ts';
import { findTree } from '../find-tree.ts';
import { representTree } from '../tree-json.ts';

export const getTree = repositoryEndpoint({
  operation: 'git/get-tree',
  method: 'GET',
  path: '/repos/:owner/:repo/git/trees/:tree_sha',
  docs: 'git#get-a-tree',
  need: mayRead,
  cacheable: true,
  async handle({ path, query, urls }, { repository }, ports) {
    const git = ports.git.repository(repository.id);
    // Any value means yes, `0` and `false` too.
    const tree = await findTree(git, path.tree_sha, { recursive: query.has('recursive') });
    if (!tree) return (await isEmpty(git, repository)) ? refuseEmpty() : notFound();
    return ok(representTree(tree, fullName(repository), urls));
  },
});
