import Type from 'typebox';

import { mayPush } from '../../repositories/repository-access.ts';
import { personShape, readPerson, signAs } from '../../repositories/commit-people.ts';
import { requiredCommit } from '../../commits/required-commit.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { refuse } from '../../errors/api-error.ts';
import { created } from '../../http/reply.ts';
import { orNull } from '../../http/schemas.ts';
import { fullName } from '../../model/repository.ts';
import { representGitCommit } from '../git-commit-json.ts';
import { requiredObject } from '../required-object.ts';

export const createCommit = repositoryEndpoint({
  operation: 'git/create-commit',
  method: 'POST',
  path: '/repos/:owner/:repo/git/commits',
  docs: 'git#create-a-commit',
  need: mayPush,
  body: Type.Object({
    message: Type.String(),
    tree: Type.String(),
    parents: Type.Optional(orNull(Type.Array(Type.String()))),
    author: personShape,
    committer: personShape,
    signature: Type.Optional(orNull(Type.String())),
  }),
  async handle(request, { repository }, ports) {
    const { body, caller, urls } = request;
    if (caller.kind !== 'user') return refuse({ kind: 'requires-authentication' });
    // Made without its signature, the commit would not be the one that was signed.
    if (body.signature) unprocessable('The API cannot create signed commits: push them with git.');
    const git = ports.git.repository(repository.id);
    const author = readPerson(body.author, request, 'author') ?? signAs(caller.account, request);
    const committer = readPerson(body.committer, request, 'committer') ?? author;
    const tree = await requiredObject(git, body.tree, 'tree', 'Tree SHA does not exist');
    const parents = [];
    for (const parent of body.parents ?? []) {
      const refusal = 'Parent SHA does not exist or is not a commit object';
      parents.push(await requiredObject(git, parent, 'commit', refusal));
    }
    const id = await git.writeCommit({ message: body.message, tree, parents, author, committer });
    const commit = await requiredCommit(git, id);
    return created(
      representGitCommit(commit, repository, urls),
      urls.gitObject(fullName(repository), 'commits', id),
    );
  },
});

function unprocessable(message: string): never {
  return refuse({ kind: 'unprocessable', message });
}
