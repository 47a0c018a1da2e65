import Type from 'typebox';

import { uniqueViolation } from '#platform/database/constraint-violation.ts';

import { notFound } from '../errors/api-error.ts';
import { emitEvent } from '../events/event-outbox-store.ts';
import { writeRepository } from '../events/invalidate.ts';
import { page as pageResult, ok, created, noContent } from '../http/endpoint-result.ts';
import { nullable } from '../http/schemas.ts';
import { callerAccountId } from '../model/caller.ts';
import { checkLabel, defaultColor, refuseTakenLabelName } from '../model/label.ts';
import { fullName } from '../model/repository.ts';
import { mayRead, mayPush } from '../repositories/repository-access.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { editLabel, deleteRepositoryLabel } from './change-label.ts';
import { representLabel } from './label-json.ts';
import { listLabels, findLabel, insertLabel } from './label-store.ts';

/** The labels of a repository. */
export const labelRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'issues/list-labels-for-repo',
    method: 'GET',
    path: '/repos/:owner/:repo/labels',
    docs: 'issues#list-labels-for-a-repository',
    acceptedScopes: 'repo',
    policy: mayRead,
    cacheable: true,
    async handle({ page, urls }, { repository }, { database }) {
      const { labels, total } = await database.read((sql) => listLabels(sql, repository.id, page));
      const name = fullName(repository);
      return pageResult(
        labels.map((label) => representLabel(label, name, urls)),
        total,
      );
    },
  }),

  repositoryEndpoint({
    operation: 'issues/get-label',
    method: 'GET',
    path: '/repos/:owner/:repo/labels/:name',
    docs: 'issues#get-a-label',
    acceptedScopes: 'repo',
    policy: mayRead,
    cacheable: true,
    async handle({ path, urls }, { repository }, { database }) {
      const label = await database.read((sql) => findLabel(sql, repository.id, path.name));
      return label ? ok(representLabel(label, fullName(repository), urls)) : notFound();
    },
  }),

  repositoryEndpoint({
    operation: 'issues/create-label',
    method: 'POST',
    path: '/repos/:owner/:repo/labels',
    docs: 'issues#create-a-label',
    policy: mayPush,
    body: Type.Object({
      name: Type.String(),
      color: Type.Optional(Type.String()),
      description: Type.Optional(nullable(Type.String())),
    }),
    async handle({ body, caller, urls, now }, { repository }, { database }) {
      checkLabel(body);
      const { name, color = defaultColor, description = null } = body;
      const actorId = callerAccountId(caller);
      const label = await writeRepository(database, repository.id, async (sql) => {
        const newLabel = await insertLabel(sql, repository.id, { name, color, description });
        const event = { event: 'label', action: 'created', label: newLabel, actorId } as const;
        await emitEvent(sql, repository.id, event, now);
        return newLabel;
      }).catch((error: unknown) =>
        uniqueViolation(error) ? refuseTakenLabelName() : Promise.reject(error),
      );
      const repositoryName = fullName(repository);
      return created(
        representLabel(label, repositoryName, urls),
        urls.label(repositoryName, label.name),
      );
    },
  }),

  repositoryEndpoint({
    operation: 'issues/update-label',
    method: 'PATCH',
    path: '/repos/:owner/:repo/labels/:name',
    docs: 'issues#update-a-label',
    policy: mayPush,
    body: Type.Object({
      new_name: Type.Optional(Type.String()),
      // The former name of `new_name`, which older clients still send.
      name: Type.Optional(Type.String()),
      color: Type.Optional(Type.String()),
      description: Type.Optional(nullable(Type.String())),
    }),
    async handle({ path, body, caller, urls, now }, { repository }, ports) {
      const { color, description } = body;
      const label = await editLabel(
        ports,
        { repositoryId: repository.id, label: { name: path.name } },
        { name: body.new_name ?? body.name, color, description },
        { actorId: callerAccountId(caller), now },
      );
      return ok(representLabel(label, fullName(repository), urls));
    },
  }),

  repositoryEndpoint({
    operation: 'issues/delete-label',
    method: 'DELETE',
    path: '/repos/:owner/:repo/labels/:name',
    docs: 'issues#delete-a-label',
    policy: mayPush,
    async handle({ path, caller, now }, { repository }, ports) {
      const named = { repositoryId: repository.id, label: { name: path.name } };
      await deleteRepositoryLabel(ports, named, { actorId: callerAccountId(caller), now });
      return noContent();
    },
  }),
];
