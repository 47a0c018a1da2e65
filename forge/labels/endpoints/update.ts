import Type from 'typebox';

import { uniqueViolation } from '#platform/database/unique-violation.ts';

import { callerAccountId } from '../../model/caller.ts';
import { mayPush } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { ok } from '../../http/reply.ts';
import { orNull } from '../../http/schemas.ts';
import { fullName } from '../../model/repository.ts';
import { writeRepository } from '../../events/invalidate.ts';
import { emitEvent } from '../../events/event-outbox-store.ts';
import { previousValues } from '../../events/previous-values.ts';
import { representLabel } from '../label-json.ts';
import { findLabel, updateLabel } from '../label-store.ts';
import { checkLabelWords, type Label, refuseTakenName } from '../../model/label.ts';

export const updateLabelEndpoint = repositoryEndpoint({
  operation: 'issues/update-label',
  method: 'PATCH',
  path: '/repos/:owner/:repo/labels/:name',
  docs: 'issues#update-a-label',
  need: mayPush,
  body: Type.Object({
    new_name: Type.Optional(Type.String()),
    // The name of the member before there was `new_name`; older clients still send it.
    name: Type.Optional(Type.String()),
    color: Type.Optional(Type.String()),
    description: Type.Optional(orNull(Type.String())),
  }),
  async handle({ path, body, caller, urls, now }, { repository }, { database }) {
    const name = body.new_name ?? body.name;
    checkLabelWords({ ...body, name });
    const change = async (): Promise<Label> =>
      writeRepository(database, repository.id, async (sql) => {
        const label = await findLabel(sql, repository.id, path.name);
        if (!label) return notFound();
        const { description = label.description } = body;
        const color = (body.color ?? label.color).toLowerCase();
        const changed = { id: label.id, name: name ?? label.name, color, description };
        await updateLabel(sql, changed);
        const changes = previousValues(label, changed, ['name', 'color', 'description']);
        if (changes) {
          const actorId = callerAccountId(caller);
          const told = { event: 'label', action: 'edited', label: changed, actorId } as const;
          await emitEvent(sql, repository.id, { ...told, changes }, now);
        }
        return changed;
      });
    const label = await change().catch((error: unknown) =>
      uniqueViolation(error) ? refuseTakenName() : Promise.reject(error),
    );
    return ok(representLabel(label, fullName(repository), urls));
  },
});
