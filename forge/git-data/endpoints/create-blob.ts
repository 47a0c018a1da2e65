import Type from 'typebox';

import { mayPush } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { refuse } from '../../errors/api-error.ts';
import { created } from '../../http/reply.ts';
import { choice } from '../../http/schemas.ts';
import { fullName } from '../../model/repository.ts';
import { decodeBase64 } from '../base64.ts';
import { contentBodyBytesMax } from '../request-size.ts';

export const createBlob = repositoryEndpoint({
  operation: 'git/create-blob',
  method: 'POST',
  path: '/repos/:owner/:repo/git/blobs',
  docs: 'git#create-a-blob',
  need: mayPush,
  bodyBytesMax: contentBodyBytesMax,
  body: Type.Object({
    content: Type.String(),
    encoding: Type.Optional(choice(['utf-8', 'base64'])),
  }),
  async handle({ body, urls }, { repository }, { git }) {
    const content =
      body.encoding === 'base64' ? decodeBase64(body.content) : Buffer.from(body.content);
    if (!content) return refuse({ kind: 'unprocessable', message: 'content is not valid Base64' });
    const sha = await git.repository(repository.id).writeBlob(content);
    const url = urls.gitObject(fullName(repository), 'blobs', sha);
    return created({ sha, url }, url);
  },
});
