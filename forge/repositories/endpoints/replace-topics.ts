import Type from 'typebox';

import { callerAccountId } from '../../model/caller.ts';
import { mayAdminister } from '../repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { writeRepository } from '../../events/invalidate.ts';
import { emitEvent } from '../../events/event-outbox-store.ts';
import { readyRepository } from '../ready-repository.ts';
import { setTopics } from '../repository-store.ts';
import { readTopics } from '../topics.ts';

export const replaceTopics = repositoryEndpoint({
  operation: 'repos/replace-all-topics',
  method: 'PUT',
  path: '/repos/:owner/:repo/topics',
  docs: 'repos#replace-all-repository-topics',
  need: mayAdminister,
  body: Type.Object({ names: Type.Array(Type.String()) }),
  async handle({ body, caller, now }, { repository }, { database }) {
    const topics = readTopics(body.names);
    await writeRepository(database, repository.id, async (sql) => {
      const { topics: from } = await readyRepository(sql, repository.id);
      await setTopics(sql, repository.id, topics, now);
      if (from.join() === topics.join()) return;
      const actorId = callerAccountId(caller);
      const told = { event: 'repository', action: 'edited', actorId } as const;
      await emitEvent(sql, repository.id, { ...told, changes: { topics: { from } } }, now);
    });
    return ok({ names: topics });
  },
});
