import { mayPush } from '../../access/repository-access.ts';
import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { notFound } from '../../conventions/refusal.ts';
import { noContent } from '../../conventions/reply.ts';
import { repositoryLane } from '../../repositories/repository.ts';
import { deleteLabel, findLabel } from '../label-store.ts';

export const deleteLabelEndpoint = repositoryEndpoint({
  operation: 'issues/delete-label',
  method: 'DELETE',
  path: '/repos/:owner/:repo/labels/:name',
  docs: 'issues#delete-a-label',
  need: mayPush,
  async handle({ path }, { repository }, { database }) {
    await database.write(
      async (sql) => {
        const label = await findLabel(sql, repository.id, path.name);
        if (!label) return notFound();
        await deleteLabel(sql, repository.id, label.id);
      },
      { lane: repositoryLane(repository.id) },
    );
    return noContent();
  },
});
