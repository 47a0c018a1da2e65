import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { refuse } from '../../errors/api-error.ts';
import { created } from '../../http/reply.ts';
import { fullName } from '../../model/repository.ts';
import { createStatus } from '../create-status.ts';
import { mayCreateStatuses } from '../status-policies.ts';
import { representStatus } from '../status-json.ts';
import { readStatusWish, statusBody } from '../status-input.ts';

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
