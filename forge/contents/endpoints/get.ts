import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { answerContent } from '../answer-content.ts';

export const getContent = repositoryEndpoint({
  operation: 'repos/get-content',
  method: 'GET',
  path: '/repos/:owner/:repo/contents/*',
  docs: 'repos#get-repository-content',
  need: mayRead,
  formats: ['raw', 'html'],
  cacheable: true,
  handle({ path, query, media, urls }, { repository }, { git }) {
    const asked = path['*'].replaceAll(/^\/+|\/+$/g, '');
    return answerContent(git, { repository, path: asked, query, format: media.format, urls });
  },
});
