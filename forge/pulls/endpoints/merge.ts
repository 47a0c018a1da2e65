import Type from 'typebox';

import { mayPush } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound, refuse } from '../../errors/api-error.ts';
import { ok } from '../../http/reply.ts';
import { choice, orNull } from '../../http/schemas.ts';
import { noObject, parseObjectId } from '../../git/names.ts';
import { mergeMethods } from '../merge-methods.ts';
import { mergePull } from '../merging/merge-pull.ts';
import { findPull } from '../pull-store.ts';

export const mergePullRequest = repositoryEndpoint({
  operation: 'pulls/merge',
  method: 'PUT',
  path: '/repos/:owner/:repo/pulls/:pull_number/merge',
  docs: 'pulls#merge-a-pull-request',
  need: mayPush,
  body: Type.Object({
    commit_title: Type.Optional(orNull(Type.String())),
    commit_message: Type.Optional(orNull(Type.String())),
    sha: Type.Optional(orNull(Type.String())),
    merge_method: Type.Optional(orNull(choice(mergeMethods))),
  }),
  async handle(request, { repository }, ports) {
    const { body, caller, now } = request;
    if (caller.kind !== 'user') return refuse({ kind: 'requires-authentication' });
    const pull = await ports.database.read((sql) =>
      findPull(sql, repository.id, request.path.pull_number),
    );
    if (!pull) return notFound();
    const commit = await mergePull(ports, {
      pull,
      repository,
      caller,
      method: body.merge_method ?? 'merge',
      // A text that is no SHA differs from every head.
      sha: typeof body.sha === 'string' ? (parseObjectId(body.sha) ?? noObject) : undefined,
      wish: { title: body.commit_title ?? undefined, message: body.commit_message ?? undefined },
      now,
      offsetMinutes: request.zoneOffset(now),
    });
    return ok({ sha: commit, merged: true, message: 'Pull Request successfully merged' });
  },
});
