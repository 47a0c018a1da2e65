import { mayRead } from '../../access/repository-access.ts';
import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { notFound } from '../../conventions/refusal.ts';
import { ok } from '../../conventions/reply.ts';
import { parseObjectId } from '../../git/names.ts';
import { representGitCommit } from '../git-commit-representation.ts';

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
