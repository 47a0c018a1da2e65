import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { notFound } from '../../conventions/refusal.ts';
import { noContent } from '../../conventions/reply.ts';
import { repositoryLane } from '../../repositories/repository.ts';
import { mayDeleteWebhooks } from '../webhook-needs.ts';
import { deleteWebhook } from '../webhook-store.ts';

export const deleteWebhookEndpoint = repositoryEndpoint({
  operation: 'repos/delete-webhook',
  method: 'DELETE',
  path: '/repos/:owner/:repo/hooks/:hook_id',
  docs: 'repos#delete-a-repository-webhook',
  acceptedScopes: 'admin:repo_hook, public_repo, repo',
  need: mayDeleteWebhooks,
  async handle({ path }, { repository }, { database }) {
    const deleted = await database.write((sql) => deleteWebhook(sql, repository.id, path.hook_id), {
      lane: repositoryLane(repository.id),
    });
    return deleted ? noContent() : notFound();
  },
});
