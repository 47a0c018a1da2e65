import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { noContent } from '../../http/reply.ts';
import { repositoryLane } from '../../model/repository.ts';
import { mayDeleteWebhooks } from '../webhook-policies.ts';
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
