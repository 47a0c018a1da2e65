import Type from 'typebox';

import { uniqueViolation } from '#platform/unique-violation.ts';

import { callerAccountId } from '../../access/caller.ts';
import { mayPush } from '../../access/repository-access.ts';
import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { notFound } from '../../conventions/refusal.ts';
import { ok } from '../../conventions/reply.ts';
import { orNull } from '../../conventions/shapes.ts';
import { fullName } from '../../repositories/repository.ts';
import { writeRepository } from '../../response-cache/invalidate.ts';
import { announce } from '../../webhooks/outbox-store.ts';
import { valuesBefore } from '../../webhooks/values-before.ts';
import { representLabel } from '../label-representation.ts';
import { findLabel, updateLabel } from '../label-store.ts';
import { checkLabelWords, type Label, refuseTakenName } from '../label.ts';

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
        const changes = valuesBefore(label, changed, ['name', 'color', 'description']);
        if (changes) {
          const actorId = callerAccountId(caller);
          const told = { event: 'label', action: 'edited', label: changed, actorId } as const;
          await announce(sql, repository.id, { ...told, changes }, now);
        }
        return changed;
      });
    const label = await change().catch((error: unknown) =>
      uniqueViolation(error) ? refuseTakenName() : Promise.reject(error),
    );
    return ok(representLabel(label, fullName(repository), urls));
  },
});
