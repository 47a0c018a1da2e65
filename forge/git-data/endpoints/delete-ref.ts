import { mayPush } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { refuse } from '../../errors/api-error.ts';
import { noContent } from '../../http/reply.ts';
import { deleteRef } from '../write-ref.ts';

export const deleteReference = repositoryEndpoint({
  operation: 'git/delete-ref',
  method: 'DELETE',
  path: '/repos/:owner/:repo/git/refs/*',
  docs: 'git#delete-a-reference',
  acceptedScopes: 'repo',
  need: mayPush,
  async handle({ path, caller, now }, { repository }, ports) {
    if (caller.kind !== 'user') return refuse({ kind: 'requires-authentication' });
    await deleteRef(ports, { repository, caller, name: `refs/${path['*']}`, now });
    return noContent();
  },
});
