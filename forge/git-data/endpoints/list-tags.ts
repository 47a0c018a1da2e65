import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { page as replyPage } from '../../http/reply.ts';
import { tagsOfCommits } from '../tags-of-commits.ts';
import { representTagRef } from '../tag-json.ts';

export const listTags = repositoryEndpoint({
  operation: 'repos/list-tags',
  method: 'GET',
  path: '/repos/:owner/:repo/tags',
  docs: 'repos#list-repository-tags',
  need: mayRead,
  cacheable: true,
  async handle({ page, urls }, { repository }, { git }) {
    const tags = await tagsOfCommits(git.repository(repository.id));
    const shown = tags.slice(page.offset, page.offset + page.size);
    return replyPage(
      shown.map((tag) => representTagRef(tag, repository, urls)),
      tags.length,
    );
  },
});
