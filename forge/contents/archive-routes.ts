import { notFound } from '../errors/api-error.ts';
import type { ArchiveFormat } from '../git/archive-options.ts';
import type { EndpointResult } from '../http/endpoint-result.ts';
import type { Repository } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { mayRead } from '../repositories/repository-access.ts';
import { repositoryEndpoint, type Endpoint } from '../routing/endpoint.ts';
import { archiveOfRevision } from './archive.ts';

/** The files of a revision as an archive; without a revision, those of the default branch. */
export const archiveRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'repos/download-zipball-archive',
    method: 'GET',
    path: '/repos/:owner/:repo/zipball/*',
    docs: 'repos#download-a-repository-archive-zip',
    acceptedScopes: 'repo',
    policy: mayRead,
    sendsFiles: 'always',
    handle: ({ path }, { repository }, ports) => send(ports, repository, path['*'], 'zip'),
  }),

  repositoryEndpoint({
    operation: 'repos/download-zipball-archive',
    method: 'GET',
    path: '/repos/:owner/:repo/zipball',
    docs: 'repos#download-a-repository-archive-zip',
    acceptedScopes: 'repo',
    policy: mayRead,
    sendsFiles: 'always',
    handle: (_request, { repository }, ports) => send(ports, repository, '', 'zip'),
  }),

  repositoryEndpoint({
    operation: 'repos/download-tarball-archive',
    method: 'GET',
    path: '/repos/:owner/:repo/tarball/*',
    docs: 'repos#download-a-repository-archive-tar',
    acceptedScopes: 'repo',
    policy: mayRead,
    sendsFiles: 'always',
    handle: ({ path }, { repository }, ports) => send(ports, repository, path['*'], 'tar.gz'),
  }),

  repositoryEndpoint({
    operation: 'repos/download-tarball-archive',
    method: 'GET',
    path: '/repos/:owner/:repo/tarball',
    docs: 'repos#download-a-repository-archive-tar',
    acceptedScopes: 'repo',
    policy: mayRead,
    sendsFiles: 'always',
    handle: (_request, { repository }, ports) => send(ports, repository, '', 'tar.gz'),
  }),
];

async function send(
  ports: Ports,
  repository: Repository,
  revision: string,
  format: ArchiveFormat,
): Promise<EndpointResult> {
  const git = ports.git.repository(repository.id);
  const wanted = revision === '' ? repository.defaultBranch : revision;
  const archive = await archiveOfRevision(git, repository, wanted, format);
  return archive ? { kind: 'archive', ...archive } : notFound();
}
