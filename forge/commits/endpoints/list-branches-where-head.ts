import { mayRead } from '../../repositories/repository-access.ts';
import { representShortBranch } from '../../branches/branch-json.ts';
import { protectedBranches } from '../../branches/protection-store.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { ok } from '../../http/reply.ts';
import { fullName } from '../../model/repository.ts';
import { namedCommit } from '../named-commit.ts';

export const listBranchesWhereHead = repositoryEndpoint({
  operation: 'repos/list-branches-for-head-commit',
  method: 'GET',
  path: '/repos/:owner/:repo/commits/:commit_sha/branches-where-head',
  docs: 'repos#list-branches-for-head-commit',
  need: mayRead,
  cacheable: true,
  async handle({ path, urls }, { repository }, ports) {
    const git = ports.git.repository(repository.id);
    const sha = await namedCommit(git, repository, path.commit_sha);
    const branches = (await git.listRefs('refs/heads/')).filter(({ id }) => id === sha);
    const names = await ports.database.read((sql) => protectedBranches(sql, repository.id));
    return ok(
      branches.map((ref) =>
        representShortBranch(
          ref,
          names.has(ref.name.slice('refs/heads/'.length)),
          fullName(repository),
          urls,
        ),
      ),
    );
  },
});
