import { mayRead } from '../../repositories/repository-access.ts';
import { describeCommit } from '../../commits/describe-commits.ts';
import { requiredCommit } from '../../commits/required-commit.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { ok } from '../../http/reply.ts';
import { branchRef, parseBranchName } from '../../git/names.ts';
import { fullName } from '../../model/repository.ts';
import { representBranch } from '../branch-json.ts';
import { findRules } from '../protection-store.ts';

export const getBranch = repositoryEndpoint({
  operation: 'repos/get-branch',
  method: 'GET',
  path: '/repos/:owner/:repo/branches/:branch',
  docs: 'repos#get-a-branch',
  need: mayRead,
  cacheable: true,
  async handle({ path, urls }, { repository }, ports) {
    const git = ports.git.repository(repository.id);
    const name = parseBranchName(path.branch);
    const sha = name && (await git.readRef(branchRef(name)));
    if (!name || !sha) return notFound('Branch not found');
    const commit = await requiredCommit(git, sha);
    return ports.database.read(async (sql) => {
      const described = await describeCommit(sql, commit, repository, urls);
      const rules = await findRules(sql, repository.id, name);
      return ok(representBranch(name, described, rules, fullName(repository), urls));
    });
  },
});
