import type { Readable } from 'node:stream';

import { transferProcessorSeconds } from '../commands/child-stream.ts';
import { type GitDirectory, requireRepository } from '../commands/git-directory.ts';
import type { ArchiveOptions } from '../archive-options.ts';
import { streamWhole } from './stream-blob.ts';

const mebibyte = 1024 * 1024;
/** Memory and processor time of git for an archive of a repository. */
const archiveLimits = { memoryBytes: 2048 * mebibyte, processorSeconds: transferProcessorSeconds };

/** Streams the files of a commit as git archives them (git-archive(1)), below a folder. Destroying the stream ends git. */
export async function streamArchive(
  directory: GitDirectory,
  { commit, format, folder }: ArchiveOptions,
): Promise<Readable> {
  await requireRepository(directory);
  const child = directory.state.runner.start({
    arguments: ['archive', `--format=${format}`, `--prefix=${folder}/`, commit],
    repositoryPath: directory.path,
    limits: archiveLimits,
  });
  return streamWhole(child, `git could not archive ${commit}.`);
}
