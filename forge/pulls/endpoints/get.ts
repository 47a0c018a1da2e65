import { mayRead } from '../../repositories/repository-access.ts';
import { repositoryEndpoint } from '../../routing/endpoint.ts';
import { notFound } from '../../errors/api-error.ts';
import { ok, text } from '../../http/reply.ts';
import { pullDiff, pullPatch } from '../pull-diff.ts';
import { findPull } from '../pull-store.ts';
import { mergeability } from '../../model/pull.ts';
import { describePull } from '../merging/pull-relations.ts';
import { scheduleMergeabilityCheck } from '../mergeability.ts';

export const getPullRequest = repositoryEndpoint({
  operation: 'pulls/get',
  method: 'GET',
  path: '/repos/:owner/:repo/pulls/:pull_number',
  docs: 'pulls#get-a-pull-request',
  need: mayRead,
  formats: ['raw', 'text', 'html', 'full', 'diff', 'patch'],
  cacheable: true,
  async handle(request, { repository }, ports) {
    const { path, media } = request;
    const pull = await ports.database.read((sql) => findPull(sql, repository.id, path.pull_number));
    if (!pull) return notFound();
    const lastModified = pull.updatedAt;
    const git = ports.git.repository(repository.id);
    if (media.format === 'diff') return text('diff', await pullDiff(git, pull), { lastModified });
    if (media.format === 'patch')
      return text('patch', await pullPatch(git, pull), { lastModified });
    const untested = pull.state === 'open' && mergeability(pull) === 'unknown';
    if (untested) scheduleMergeabilityCheck(ports, pull.id);
    const body = await ports.database.read((sql) => describePull(sql, repository, pull, request));
    // Not cached while mergeability is being found out: the next request must start the test anew if it failed.
    return ok(body, { lastModified, cacheable: !untested });
  },
});
