import Type from 'typebox';

import { mayPush } from '../../repositories/repository-access.ts';
import { personShape, readPerson, signAs } from '../../repositories/commit-people.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { refuse } from '../../errors/api-error.ts';
import { created } from '../../http/reply.ts';
import { choice } from '../../http/schemas.ts';
import { parseRefName } from '../../git/names.ts';
import { fullName } from '../../model/repository.ts';
import { requiredObject } from '../required-object.ts';
import { representTag } from '../tag-json.ts';

export const createTag = repositoryEndpoint({
  operation: 'git/create-tag',
  method: 'POST',
  path: '/repos/:owner/:repo/git/tags',
  docs: 'git#create-a-tag-object',
  need: mayPush,
  body: Type.Object({
    tag: Type.String(),
    message: Type.String(),
    object: Type.String(),
    type: choice(['commit', 'tree', 'blob', 'tag']),
    tagger: personShape,
  }),
  async handle(request, { repository }, ports) {
    const { body, caller, urls } = request;
    if (caller.kind !== 'user') return refuse({ kind: 'requires-authentication' });
    const { tag, message, type } = body;
    if (!parseRefName(`refs/tags/${tag}`) || tag.startsWith('-')) {
      return refuse({ kind: 'unprocessable', message: `${tag} is not a valid tag name.` });
    }
    const tagger = readPerson(body.tagger, request, 'tagger') ?? signAs(caller.account, request);
    const git = ports.git.repository(repository.id);
    const refusal = `Object does not exist or is not a ${type}`;
    const object = await requiredObject(git, body.object, type, refusal);
    const id = await git.writeTag({ tag, message, type, object, tagger });
    const written = await git.readTag(id);
    if (!written) throw new Error(`tag ${id} was written and cannot be read`);
    return created(
      representTag(written, repository, urls),
      urls.gitObject(fullName(repository), 'tags', id),
    );
  },
});
