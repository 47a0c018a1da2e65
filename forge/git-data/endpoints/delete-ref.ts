import { mayPush } from '../../access/repository-access.ts';
import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { refuse } from '../../conventions/refusal.ts';
import { noContent } from '../../conventions/reply.ts';
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
