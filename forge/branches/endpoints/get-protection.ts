import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { describeRules } from '../describe-protection.ts';
import { maySeeRules, requiredBranch } from '../read-protection.ts';

export const getBranchProtection = repositoryEndpoint({
  operation: 'repos/get-branch-protection',
  method: 'GET',
  path: '/repos/:owner/:repo/branches/:branch/protection',
  docs: 'repos#get-branch-protection',
  need: maySeeRules,
  cacheable: true,
  async handle({ path, urls }, { repository }, { database, git }) {
    const branch = await requiredBranch(git, repository, path.branch);
    return ok(await database.read((sql) => describeRules(sql, repository, branch, urls)));
  },
});
