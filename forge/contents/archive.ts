import type { Readable } from 'node:stream';

import { resolveBranchName } from '../branches/resolve-branch-name.ts';
import type { ArchiveFormat } from '../git/archive-options.ts';
import type { GitRepository } from '../git/git.ts';
import { branchRef, type ObjectId } from '../git/names.ts';
import type { Repository } from '../model/repository.ts';

/** An archive of the files of a commit. */
export interface Archive {
  readonly name: string;
  readonly contentType: string;
  readonly open: () => Promise<Readable>;
}

const contentTypes = { zip: 'application/zip', 'tar.gz': 'application/x-gzip' } as const;

/** What the REST API sends for a revision; its folder and file name the owner, the repository and the commit, as on GitHub. */
export async function archiveOfRevision(
  git: GitRepository,
  { owner, name }: Repository,
  revision: string,
  format: ArchiveFormat,
): Promise<Archive | undefined> {
  const commit = await commitOf(git, revision);
  const folder = commit && `${owner.login}-${name}-${commit.slice(0, 7)}`;
  return commit && folder ? archiveIn(git, commit, folder, format) : undefined;
}

/**
 * What the path of a page names: `refs/tags/v1.0.zip`, `refs/heads/main.tar.gz` or the name of either or of a commit. Its folder and file
 * name the repository and the revision, as on GitHub: of a tag without the `v` before a number.
 */
export async function archiveOfPath(
  git: GitRepository,
  { name }: Repository,
  path: string,
): Promise<Archive | undefined> {
  const [, revision = '', end] = /^(.+)\.(zip|tar\.gz)$/s.exec(path) ?? [];
  const format = end === 'zip' || end === 'tar.gz' ? end : undefined;
  const commit = format && (await commitOf(git, revision));
  if (!commit || !format) return undefined;
  const short = revision.replace(/^refs\/(?:heads|tags)\//, '').replaceAll('/', '-');
  return archiveIn(git, commit, `${name}-${short.replace(/^v(?=\d)/, '')}`, format);
}

function archiveIn(
  git: GitRepository,
  commit: ObjectId,
  folder: string,
  format: ArchiveFormat,
): Archive {
  return {
    name: `${folder}.${format}`,
    contentType: contentTypes[format],
    open: () => git.streamArchive({ commit, format, folder }),
  };
}

async function commitOf(git: GitRepository, revision: string): Promise<ObjectId | undefined> {
  const branch = await resolveBranchName(git, revision);
  const tip = branch && (await git.readRef(branchRef(branch)));
  return tip ?? git.resolveCommit(revision);
}
