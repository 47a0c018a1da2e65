import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { answerContent } from '../answer-content.ts';

/** The root's path is empty, with or without a slash after `contents`. */
export const getRootContent = repositoryEndpoint({
  operation: 'repos/get-content',
  method: 'GET',
  path: '/repos/:owner/:repo/contents',
  docs: 'repos#get-repository-content',
  need: mayRead,
  formats: ['raw', 'html'],
  cacheable: true,
  handle({ query, media, urls }, { repository }, { git }) {
    return answerContent(git, { repository, path: '', query, format: media.format, urls });
  },
});
