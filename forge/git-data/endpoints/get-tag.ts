import { mayRead } from '../../access/repository-access.ts';
import { repositoryEndpoint } from '../../conventions/endpoint.ts';
import { notFound } from '../../conventions/refusal.ts';
import { ok } from '../../conventions/reply.ts';
import { parseObjectId } from '../../git/names.ts';
import { representTag } from '../tag-representation.ts';

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
