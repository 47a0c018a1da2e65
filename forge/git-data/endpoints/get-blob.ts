import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { ok, text } from '../../http/reply.ts';
import { representBlob } from '../blob-json.ts';
import { requiredSha } from '../object-sha.ts';
import { readBlob } from '../read-blob.ts';

export const getBlob = repositoryEndpoint({
  operation: 'git/get-blob',
  method: 'GET',
  path: '/repos/:owner/:repo/git/blobs/:file_sha',
  docs: 'git#get-a-blob',
  need: mayRead,
  formats: ['raw'],
  cacheable: true,
  async handle({ path, media, urls }, { repository }, { git }) {
    const id = requiredSha(path.file_sha, 'sha');
    const content = (await readBlob(git.repository(repository.id), id)) ?? notFound();
    if (media.format === 'raw') return text('raw', content);
    return ok(representBlob(id, content, repository, urls));
  },
});
