import Type from 'typebox';

import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound, refuse } from '../../errors/api-error.ts';
import { ok } from '../../http/reply.ts';
import { choice, orNull } from '../../http/schemas.ts';
import { applyEdit, mayEdit } from '../merging/edit-pull.ts';
import { findPull } from '../pull-store.ts';
import { checkPullText } from '../../model/pull-text.ts';
import { describePull } from '../merging/pull-relations.ts';
import { scheduleMergeabilityCheck } from '../mergeability.ts';

export const updatePullRequest = repositoryEndpoint({
  operation: 'pulls/update',
  method: 'PATCH',
  path: '/repos/:owner/:repo/pulls/:pull_number',
  docs: 'pulls#update-a-pull-request',
  need: { ...mayRead, changes: true },
  formats: ['raw', 'text', 'html', 'full'],
  body: Type.Object({
    title: Type.Optional(Type.String()),
    body: Type.Optional(orNull(Type.String())),
    state: Type.Optional(choice(['open', 'closed'])),
    base: Type.Optional(Type.String()),
    maintainer_can_modify: Type.Optional(Type.Boolean()),
  }),
  async handle(request, { repository }, ports) {
    const { body, caller, path, now } = request;
    if (caller.kind !== 'user') return refuse({ kind: 'requires-authentication' });
    const pull = await ports.database.read((sql) => findPull(sql, repository.id, path.pull_number));
    if (!pull) return notFound();
    const allowed = await ports.database.read((sql) => mayEdit(sql, caller, repository, pull));
    if (!allowed) return notFound();
    checkPullText(body);
    await applyEdit(ports, {
      pull,
      repository,
      caller,
      now,
      wish: {
        title: body.title,
        body: body.body,
        state: body.state,
        base: body.base,
        maintainerCanModify: body.maintainer_can_modify,
      },
    });
    return ports.database.read(async (sql) => {
      const edited = await findPull(sql, repository.id, path.pull_number);
      if (!edited) return notFound();
      if (edited.state === 'open') scheduleMergeabilityCheck(ports, edited.id);
      return ok(await describePull(sql, repository, edited, request));
    });
  },
});
