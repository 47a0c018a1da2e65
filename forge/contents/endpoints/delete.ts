import Type from 'typebox';

import { mayPush } from '../../repositories/repository-access.ts';
import { personShape, readPeople } from '../../repositories/commit-people.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { refuse } from '../../errors/api-error.ts';
import { ok } from '../../http/reply.ts';
import { changeFile } from '../change-file.ts';
import { describeChange } from '../describe-change.ts';

export const deleteContent = repositoryEndpoint({
  operation: 'repos/delete-file',
  method: 'DELETE',
  path: '/repos/:owner/:repo/contents/*',
  docs: 'repos#delete-a-file',
  need: mayPush,
  body: Type.Object({
    message: Type.String(),
    sha: Type.String(),
    branch: Type.Optional(Type.String()),
    author: personShape,
    committer: personShape,
  }),
  async handle(request, { repository }, ports) {
    const { path, body, caller, urls, now } = request;
    if (caller.kind !== 'user') return refuse({ kind: 'requires-authentication' });
    const changed = await changeFile(ports, {
      repository,
      caller,
      path: path['*'],
      branch: body.branch,
      message: body.message,
      ...readPeople(body, caller.account, request),
      sha: body.sha,
      content: null,
      now,
    });
    const git = ports.git.repository(repository.id);
    return ok(await describeChange(git, changed, 0, repository, urls));
  },
});
