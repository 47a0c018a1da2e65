import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { page as replyPage } from '../../http/reply.ts';
import { representPullSummary } from '../../pulls/pull-json.ts';
import { loadPullRelations } from '../../pulls/merging/pull-relations.ts';
import { namedCommit } from '../named-commit.ts';
import { pullsOfCommit } from '../../pulls/pulls-of-commit.ts';

export const listPullsOfCommit = repositoryEndpoint({
  operation: 'repos/list-pull-requests-associated-with-commit',
  method: 'GET',
  path: '/repos/:owner/:repo/commits/:commit_sha/pulls',
  docs: 'repos#list-pull-requests-associated-with-a-commit',
  need: mayRead,
  formats: ['raw', 'text', 'html', 'full'],
  cacheable: true,
  async handle({ path, page, media, urls, caller }, { repository }, ports) {
    const sha = await namedCommit(ports.git.repository(repository.id), repository, path.commit_sha);
    const pulls = await pullsOfCommit(ports, repository.id, sha);
    const shown = pulls.slice(page.offset, page.offset + page.size);
    const surroundings = await ports.database.read((sql) =>
      loadPullRelations(sql, repository, shown, caller),
    );
    return replyPage(
      shown.map((pull) => representPullSummary(pull, surroundings, media.format, urls)),
      pulls.length,
    );
  },
});
