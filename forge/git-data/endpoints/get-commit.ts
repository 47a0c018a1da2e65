import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { ok } from '../../http/reply.ts';
import { parseObjectId } from '../../git/names.ts';
import { representGitCommit } from '../git-commit-json.ts';

export const getGitCommit = repositoryEndpoint({
  operation: 'git/get-commit',
  method: 'GET',
  path: '/repos/:owner/:repo/git/commits/:commit_sha',
  docs: 'git#get-a-commit',
  need: mayRead,
  cacheable: true,
  async handle({ path, urls }, { repository }, { git }) {
    const id = parseObjectId(path.commit_sha);
    const commit = id && (await git.repository(repository.id).readCommit(id));
    if (!commit) return notFound();
    return ok(representGitCommit(commit, repository, urls), {
      lastModified: commit.committer.seconds * 1000,
    });
  },
});
