import Type from 'typebox';

import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound, refuse } from '../../errors/api-error.ts';
import { accepted } from '../../http/reply.ts';
import { orNull } from '../../http/schemas.ts';
import { fullName } from '../../model/repository.ts';
import { findPull } from '../pull-store.ts';
import { updatePullBranch } from '../merging/update-pull-branch.ts';

export const updateBranch = repositoryEndpoint({
  operation: 'pulls/update-branch',
  method: 'PUT',
  path: '/repos/:owner/:repo/pulls/:pull_number/update-branch',
  docs: 'pulls#update-a-pull-request-branch',
  preview: { name: 'lydian', feature: 'Update a pull request branch' },
  // Who may push to the head decides; the head may be in another repository.
  need: { ...mayRead, changes: true },
  body: Type.Object({ expected_head_sha: Type.Optional(orNull(Type.String())) }),
  async handle(request, { repository }, ports) {
    const { caller, body, now } = request;
    if (caller.kind !== 'user') return refuse({ kind: 'requires-authentication' });
    const pull = await ports.database.read((sql) =>
      findPull(sql, repository.id, request.path.pull_number),
    );
    if (!pull) return notFound();
    await updatePullBranch(ports, {
      pull,
      caller,
      expectedHeadSha: body.expected_head_sha ?? undefined,
      now,
      offsetMinutes: request.zoneOffset(now),
    });
    return accepted({
      message: 'Updating pull request branch.',
      url: request.urls.pull(fullName(repository), pull.number),
    });
  },
});
