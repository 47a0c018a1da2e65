import { callerAccountId } from '../../model/caller.ts';
import { mayPush } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { noContent } from '../../http/reply.ts';
import { writeRepository } from '../../events/invalidate.ts';
import { emitEvent } from '../../events/event-outbox-store.ts';
import { deleteLabel, findLabel } from '../label-store.ts';

export const deleteLabelEndpoint = repositoryEndpoint({
  operation: 'issues/delete-label',
  method: 'DELETE',
  path: '/repos/:owner/:repo/labels/:name',
  docs: 'issues#delete-a-label',
  need: mayPush,
  async handle({ path, caller, now }, { repository }, { database }) {
    const actorId = callerAccountId(caller);
    await writeRepository(database, repository.id, async (sql) => {
      const label = await findLabel(sql, repository.id, path.name);
      if (!label) return notFound();
      await deleteLabel(sql, label.id);
      const told = { event: 'label', action: 'deleted', label, actorId } as const;
      await emitEvent(sql, repository.id, told, now);
    });
    return noContent();
  },
});
