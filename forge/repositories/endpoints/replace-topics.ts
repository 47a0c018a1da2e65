import Type from 'typebox';

import { mayAdminister } from '../../access/repository-access.ts';
import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { ok } from '../../conventions/reply.ts';
import { setTopics } from '../repository-store.ts';
import { repositoryLane } from '../repository.ts';
import { readTopics } from '../topics.ts';

export const replaceTopics = repositoryEndpoint({
  operation: 'repos/replace-all-topics',
  method: 'PUT',
  path: '/repos/:owner/:repo/topics',
  docs: 'repos#replace-all-repository-topics',
  need: mayAdminister,
  body: Type.Object({ names: Type.Array(Type.String()) }),
  async handle({ body, now }, { repository }, { database }) {
    const topics = readTopics(body.names);
    await database.write((sql) => setTopics(sql, repository.id, topics, now), {
      lane: repositoryLane(repository.id),
    });
    return ok({ names: topics });
  },
});
