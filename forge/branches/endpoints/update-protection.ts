import { mayAdminister } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { writeRepository } from '../../events/invalidate.ts';
import { describeRules } from '../describe-protection.ts';
import { requiredBranch } from '../read-protection.ts';
import { putRules } from '../protection-store.ts';
import { rulesBody, rulesOfBody } from '../protection-input.ts';

export const updateBranchProtection = repositoryEndpoint({
  operation: 'repos/update-branch-protection',
  method: 'PUT',
  path: '/repos/:owner/:repo/branches/:branch/protection',
  docs: 'repos#update-branch-protection',
  need: mayAdminister,
  body: rulesBody,
  async handle({ body, path, urls }, { repository }, { database, git }) {
    const branch = await requiredBranch(git, repository, path.branch);
    const described = await writeRepository(database, repository.id, async (sql) => {
      await putRules(sql, repository.id, await rulesOfBody(sql, repository, branch, body));
      return describeRules(sql, repository, branch, urls);
    });
    return ok(described);
  },
});
