import { ok } from '../http/endpoint-result.ts';
import { mayRead } from '../repositories/repository-access.ts';
import { readLanguages } from '../repositories/read-languages.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';

/** The languages of the default branch, by the names of its files. */
export const languageRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'repos/list-languages',
    method: 'GET',
    path: '/repos/:owner/:repo/languages',
    docs: 'repos#list-repository-languages',
    acceptedScopes: 'repo',
    policy: mayRead,
    cacheable: true,
    async handle(_request, { repository }, ports) {
      const git = ports.git.repository(repository.id);
      const languages = await readLanguages(git, repository.defaultBranch);
      return ok(Object.fromEntries(languages.map(({ name, bytes }) => [name, bytes])));
    },
  }),
];
