import { ok } from '../http/reply.ts';
import { branchRef, parseBranchName } from '../git/names.ts';
import { mayRead } from '../repositories/repository-access.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { bytesByLanguage } from './languages.ts';

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
      const branch = parseBranchName(repository.defaultBranch);
      const tip = branch && (await git.readRef(branchRef(branch)));
      const tree = tip && (await git.readTree(tip, { recursive: true }));
      return ok(Object.fromEntries(bytesByLanguage(tree ? tree.entries : [])));
    },
  }),
];
