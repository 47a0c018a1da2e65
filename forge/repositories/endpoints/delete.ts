import { adminRefusal } from '../repository-access.ts';
import { holdsAny } from '../../model/scopes.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { refuse } from '../../errors/api-error.ts';
import { noContent } from '../../http/reply.ts';
import { deleteRepository } from '../delete-repository.ts';
import { mayManage } from '../repository-policies.ts';

export const deleteRepositoryEndpoint = repositoryEndpoint({
  operation: 'repos/delete',
  method: 'DELETE',
  path: '/repos/:owner/:repo',
  docs: 'repos#delete-a-repository',
  acceptedScopes: 'delete_repo',
  need: { ...mayManage, scopes: ['delete_repo'] },
  async handle({ caller, now }, { repository }, ports) {
    // The scope of all else is not enough for this.
    if (caller.kind !== 'user' || !holdsAny(caller.scopes, ['delete_repo'])) {
      return refuse({ kind: 'forbidden', message: adminRefusal });
    }
    const actorId = caller.account.id;
    await deleteRepository(ports, repository, { actorId, now });
    return noContent();
  },
});
