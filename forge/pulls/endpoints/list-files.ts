import { mayRead } from '../../repositories/repository-access.ts';
import { filePatchBytesMax, patchBytesMax, representFile } from '../../commits/file-json.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { page } from '../../http/reply.ts';
import { fullName } from '../../model/repository.ts';
import { partingOf } from '../pull-diff.ts';
import { findPull } from '../pull-store.ts';

/** At most 3000 files are returned overall (spec, List pull request files). */
const filesMax = 3000;

export const listPullFiles = repositoryEndpoint({
  operation: 'pulls/list-files',
  method: 'GET',
  path: '/repos/:owner/:repo/pulls/:pull_number/files',
  docs: 'pulls#list-pull-requests-files',
  need: mayRead,
  cacheable: true,
  async handle(request, { repository }, { database, git }) {
    const pull = await database.read((sql) =>
      findPull(sql, repository.id, request.path.pull_number),
    );
    if (!pull) return notFound();
    const repositoryGit = git.repository(repository.id);
    const files = await repositoryGit.diffFiles(
      await partingOf(repositoryGit, pull),
      pull.head.sha,
      { filesMax, patches: true, patchBytesMax: filePatchBytesMax, totalBytesMax: patchBytesMax },
    );
    const { offset, size } = request.page;
    return page(
      files
        .slice(offset, offset + size)
        .map((file) => representFile(file, fullName(repository), pull.head.sha, request.urls)),
      files.length,
      { lastModified: pull.updatedAt },
    );
  },
});
