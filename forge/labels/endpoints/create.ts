import Type from 'typebox';

import { uniqueViolation } from '#platform/unique-violation.ts';

import { callerAccountId } from '../../access/caller.ts';
import { mayPush } from '../../access/repository-access.ts';
import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { created } from '../../conventions/reply.ts';
import { orNull } from '../../conventions/shapes.ts';
import { fullName } from '../../repositories/repository.ts';
import { writeRepository } from '../../response-cache/invalidate.ts';
import { announce } from '../../webhooks/outbox-store.ts';
import { representLabel } from '../label-representation.ts';
import { insertLabel } from '../label-store.ts';
import { checkLabelWords, defaultColor, refuseTakenName } from '../label.ts';

export const createLabel = repositoryEndpoint({
  operation: 'issues/create-label',
  method: 'POST',
  path: '/repos/:owner/:repo/labels',
  docs: 'issues#create-a-label',
  need: mayPush,
  body: Type.Object({
    name: Type.String(),
    color: Type.Optional(Type.String()),
    description: Type.Optional(orNull(Type.String())),
  }),
  async handle({ body, caller, urls, now }, { repository }, { database }) {
    checkLabelWords(body);
    const { name, color = defaultColor, description = null } = body;
    const actorId = callerAccountId(caller);
    const label = await writeRepository(database, repository.id, async (sql) => {
      const made = await insertLabel(sql, repository.id, { name, color, description });
      const told = { event: 'label', action: 'created', label: made, actorId } as const;
      await announce(sql, repository.id, told, now);
      return made;
    }).catch((error: unknown) =>
      uniqueViolation(error) ? refuseTakenName() : Promise.reject(error),
    );
    const repositoryName = fullName(repository);
    return created(
      representLabel(label, repositoryName, urls),
      urls.label(repositoryName, label.name),
    );
  },
});
