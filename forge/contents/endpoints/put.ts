import Type from 'typebox';

import { mayPush } from '../../repositories/repository-access.ts';
import { personShape, readPeople } from '../../repositories/commit-people.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { refuse } from '../../errors/api-error.ts';
import { created, ok } from '../../http/reply.ts';
import { decodeBase64 } from '../../git-data/base64.ts';
import { contentBodyBytesMax } from '../../git-data/request-size.ts';
import { fullName } from '../../model/repository.ts';
import { changeFile } from '../change-file.ts';
import { describeChange } from '../describe-change.ts';

export const putContent = repositoryEndpoint({
  operation: 'repos/create-or-update-file-contents',
  method: 'PUT',
  path: '/repos/:owner/:repo/contents/*',
  docs: 'repos#create-or-update-file-contents',
  need: mayPush,
  bodyBytesMax: contentBodyBytesMax,
  body: Type.Object({
    message: Type.String(),
    content: Type.String(),
    sha: Type.Optional(Type.String()),
    branch: Type.Optional(Type.String()),
    author: personShape,
    committer: personShape,
  }),
  async handle(request, { repository }, ports) {
    const { path, body, caller, urls, now } = request;
    if (caller.kind !== 'user') return refuse({ kind: 'requires-authentication' });
    const content =
      decodeBase64(body.content) ??
      refuse({ kind: 'unprocessable', message: 'content is not valid Base64' });
    const changed = await changeFile(ports, {
      repository,
      caller,
      path: path['*'],
      branch: body.branch,
      message: body.message,
      ...readPeople(body, caller.account, request),
      sha: body.sha,
      content,
      now,
    });
    const git = ports.git.repository(repository.id);
    const answer = await describeChange(git, changed, content.length, repository, urls);
    if (!changed.created) return ok(answer);
    return created(answer, urls.contents(fullName(repository), changed.path, changed.branch));
  },
});
