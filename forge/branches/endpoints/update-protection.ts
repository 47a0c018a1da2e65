import { mayAdminister } from '../../access/repository-access.ts';
import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { ok } from '../../conventions/reply.ts';
import { writeRepository } from '../../response-cache/invalidate.ts';
import { describeRules } from '../describe-rules.ts';
import { requiredBranch } from '../read-rules.ts';
import { putRules } from '../rules-store.ts';
import { rulesBody, rulesOfBody } from '../rules-wish.ts';

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
