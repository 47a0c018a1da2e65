import Type from 'typebox';

import { mayPush } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { refuse } from '../../errors/api-error.ts';
import { created } from '../../http/reply.ts';
import { fullName } from '../../model/repository.ts';
import { requiredSha } from '../object-sha.ts';
import { representRef } from '../ref-json.ts';
import { createRef } from '../write-ref.ts';

export const createReference = repositoryEndpoint({
  operation: 'git/create-ref',
  method: 'POST',
  path: '/repos/:owner/:repo/git/refs',
  docs: 'git#create-a-reference',
  acceptedScopes: 'repo',
  need: mayPush,
  body: Type.Object({ ref: Type.String(), sha: Type.String() }),
  async handle({ body, caller, urls, now }, { repository }, ports) {
    if (caller.kind !== 'user') return refuse({ kind: 'requires-authentication' });
    const sha = requiredSha(body.sha, 'sha');
    const ref = await createRef(ports, { repository, caller, name: body.ref, sha, now });
    return created(
      representRef(ref, repository, urls),
      urls.gitRef(fullName(repository), ref.name),
    );
  },
});
