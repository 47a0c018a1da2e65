import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { refuse } from '../../conventions/refusal.ts';
import { created } from '../../conventions/reply.ts';
import { fullName } from '../../repositories/repository.ts';
import { createStatus } from '../create-status.ts';
import { mayCreateStatuses } from '../status-needs.ts';
import { representStatus } from '../status-representation.ts';
import { readStatusWish, statusBody } from '../status-wish.ts';

export const createCommitStatus = repositoryEndpoint({
  operation: 'repos/create-commit-status',
  method: 'POST',
  path: '/repos/:owner/:repo/statuses/:sha',
  docs: 'repos#create-a-commit-status',
  need: mayCreateStatuses,
  body: statusBody,
  async handle({ path, body, caller, urls, now }, { repository }, ports) {
    // Anonymous callers have not been given the permission to push to anything.
    if (caller.kind !== 'user') return refuse({ kind: 'requires-authentication' });
    const status = await createStatus(ports, {
      wish: readStatusWish(body),
      repositoryId: repository.id,
      revision: path.sha,
      creatorId: caller.account.id,
      now,
    });
    return created(
      representStatus(status, caller.account, repository, urls),
      urls.status(fullName(repository), status.sha),
    );
  },
});
