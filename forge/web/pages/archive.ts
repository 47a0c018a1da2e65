import { archiveOfPath } from '../../contents/archive.ts';
import { notFound } from '../../errors/api-error.ts';
import type { ArchiveResponse } from '#web/web-response.ts';
import type { RepositoryContext } from '../kit/web-context.ts';

/** The files of a revision as `.zip` or `.tar.gz`. */
export async function downloadArchive({
  git,
  repository,
  path,
}: RepositoryContext): Promise<ArchiveResponse> {
  const archive = await archiveOfPath(git, repository, path['*'] ?? '');
  return archive ? { kind: 'archive', ...archive } : notFound();
}
