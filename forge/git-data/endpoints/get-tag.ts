import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { ok } from '../../http/reply.ts';
import { parseObjectId } from '../../git/names.ts';
import { representTag } from '../tag-json.ts';

export const getTag = repositoryEndpoint({
  operation: 'git/get-tag',
  method: 'GET',
  path: '/repos/:owner/:repo/git/tags/:tag_sha',
  docs: 'git#get-a-tag',
  need: mayRead,
  cacheable: true,
  async handle({ path, urls }, { repository }, { git }) {
    const id = parseObjectId(path.tag_sha);
    const tag = id && (await git.repository(repository.id).readTag(id));
    return tag ? ok(representTag(tag, repository, urls)) : notFound();
  },
});
