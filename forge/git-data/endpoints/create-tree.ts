import Type from 'typebox';

import { mayPush } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { created } from '../../http/reply.ts';
import { orNull } from '../../http/schemas.ts';
import { fullName } from '../../model/repository.ts';
import { makeTree } from '../make-tree.ts';
import { requiredSha } from '../object-sha.ts';
import { contentBodyBytesMax } from '../request-size.ts';
import { representTree } from '../tree-json.ts';
import { readTreeEntry, treeEntryShape } from '../tree-input.ts';

export const createTree = repositoryEndpoint({
  operation: 'git/create-tree',
  method: 'POST',
  path: '/repos/:owner/:repo/git/trees',
  docs: 'git#create-a-tree',
  need: mayPush,
  bodyBytesMax: contentBodyBytesMax,
  body: Type.Object({
    tree: Type.Array(treeEntryShape),
    base_tree: Type.Optional(orNull(Type.String())),
  }),
  async handle({ body, urls }, { repository }, ports) {
    const git = ports.git.repository(repository.id);
    const base = body.base_tree ? requiredSha(body.base_tree, 'base_tree') : undefined;
    const id = await makeTree(git, base, body.tree.map(readTreeEntry));
    const tree = await git.readTree(id);
    if (!tree) throw new Error(`tree ${id} was written and cannot be read`);
    return created(
      representTree(tree, fullName(repository), urls),
      urls.gitObject(fullName(repository), 'trees', id),
    );
  },
});
