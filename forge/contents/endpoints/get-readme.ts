import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { fullName } from '../../model/repository.ts';
import { answerFile } from '../answer-file.ts';
import { contentSource } from '../content-source.ts';
import { findReadme } from '../find-readme.ts';

export const getReadme = repositoryEndpoint({
  operation: 'repos/get-readme',
  method: 'GET',
  path: '/repos/:owner/:repo/readme',
  docs: 'repos#get-a-repository-readme',
  need: mayRead,
  formats: ['raw', 'html'],
  cacheable: true,
  async handle({ query, media, urls }, { repository }, ports) {
    const git = ports.git.repository(repository.id);
    const { ref, commit } = await contentSource(git, repository, query);
    const name = fullName(repository);
    const readme = (await findReadme(git, commit, urls.clone(name))) ?? notFound();
    return answerFile(git, readme, media.format, { fullName: name, ref, urls });
  },
});
