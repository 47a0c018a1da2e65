import { callerAccountId } from '../../model/caller.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { noContent } from '../../http/reply.ts';
import { branchRef, noObject, parseBranchName } from '../../git/names.ts';
import { emitEventTo } from '../../events/event-outbox-store.ts';
import { requiredWebhook } from '../required-webhook.ts';
import { acceptedToSee, maySeeWebhooks } from '../webhook-policies.ts';

/** Sends the latest push to the default branch once more, to a webhook that asked for pushes. */
export const testWebhook = repositoryEndpoint({
  operation: 'repos/test-push-webhook',
  method: 'POST',
  path: '/repos/:owner/:repo/hooks/:hook_id/tests',
  docs: 'repos#test-the-push-repository-webhook',
  acceptedScopes: acceptedToSee,
  need: maySeeWebhooks,
  async handle({ path, caller, now }, { repository }, { database, git: allGit }) {
    const webhook = await database.read((sql) => requiredWebhook(sql, repository.id, path.hook_id));
    const git = allGit.repository(repository.id);
    const branch = parseBranchName(repository.defaultBranch);
    const after = branch && (await git.readRef(branchRef(branch)));
    const asked = webhook.events.some((event) => event === 'push' || event === '*');
    if (!branch || !after || !asked) return noContent();
    const before = (await git.readCommit(after))?.parents[0] ?? noObject;
    const actorId = callerAccountId(caller);
    const push = { event: 'push', ref: branchRef(branch), before, after, actorId } as const;
    await database.write((sql) => emitEventTo(sql, webhook.id, push, now));
    return noContent();
  },
});
