import Type from 'typebox';

import { uniqueViolation } from '#platform/database/unique-violation.ts';

import { callerAccountId } from '../../model/caller.ts';
import { mayPush } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { created } from '../../http/reply.ts';
import { orNull } from '../../http/schemas.ts';
import { fullName } from '../../model/repository.ts';
import { writeRepository } from '../../events/invalidate.ts';
import { emitEvent } from '../../events/event-outbox-store.ts';
import { representLabel } from '../label-json.ts';
import { insertLabel } from '../label-store.ts';
import { checkLabelWords, defaultColor, refuseTakenName } from '../../model/label.ts';

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
      await emitEvent(sql, repository.id, told, now);
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
