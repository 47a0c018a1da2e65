import { mayAdminister } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { noContent } from '../../http/reply.ts';
import { writeRepository } from '../../events/invalidate.ts';
import { deleteRules } from '../protection-store.ts';

/** Works for the rules of a branch that is gone, too: nothing else could remove them. */
export const deleteBranchProtection = repositoryEndpoint({
  operation: 'repos/delete-branch-protection',
  method: 'DELETE',
  path: '/repos/:owner/:repo/branches/:branch/protection',
  docs: 'repos#delete-branch-protection',
  need: mayAdminister,
  async handle({ path }, { repository }, { database }) {
    const deleted = await writeRepository(database, repository.id, (sql) =>
      deleteRules(sql, repository.id, path.branch),
    );
    return deleted ? noContent() : notFound('Branch not protected');
  },
});
