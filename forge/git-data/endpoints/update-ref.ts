import Type from 'typebox';

import { mayPush } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { refuse } from '../../errors/api-error.ts';
import { ok } from '../../http/reply.ts';
import { orNull } from '../../http/schemas.ts';
import { requiredSha } from '../object-sha.ts';
import { representRef } from '../ref-json.ts';
import { updateRef } from '../write-ref.ts';

export const updateReference = repositoryEndpoint({
  operation: 'git/update-ref',
  method: 'PATCH',
  path: '/repos/:owner/:repo/git/refs/*',
  docs: 'git#update-a-reference',
  acceptedScopes: 'repo',
  need: mayPush,
  body: Type.Object({ sha: Type.String(), force: Type.Optional(orNull(Type.Boolean())) }),
  async handle({ path, body, caller, urls, now }, { repository }, ports) {
    if (caller.kind !== 'user') return refuse({ kind: 'requires-authentication' });
    const ref = await updateRef(ports, {
      repository,
      caller,
      name: `refs/${path['*']}`,
      sha: requiredSha(body.sha, 'sha'),
      force: body.force ?? false,
      now,
    });
    return ok(representRef(ref, repository, urls));
  },
});
