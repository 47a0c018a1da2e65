import { join } from 'node:path';

import { systemRandom } from '#platform/random.ts';

import { BatchProcess } from '../commands/batch-process.ts';
import { mergeRequest, mergeTreeArguments } from './merge.ts';
import { expectObjectId } from '../names.ts';
import type { RepositoryPaths } from '../commands/repository-paths.ts';
import type { GitRunner } from '../commands/run-git.ts';
import { rm } from 'node:fs/promises';

/** Time that git has to show at the start which kinds of merges it can do. */
const probeSeconds = 5;

/**
 * Whether `merge-tree --stdin` answers at once on this host. git 2.38 lacks the option; 2.39 buffers
 * its responses unless `stdbuf` can be preloaded, which only a test shows.
 */
export async function probeMergeTree(runner: GitRunner, paths: RepositoryPaths): Promise<boolean> {
  const path = join(paths.arriving, `probe-${systemRandom.id()}.git`);
  try {
    await runner.run({ arguments: ['init', '--quiet', '--bare', '--template=', '--', path] });
    const commit = await writeEmptyCommit(runner, path);
    const child = runner.start({
      arguments: mergeTreeArguments,
      repositoryPath: path,
      unbuffered: true,
    });
    const batch = new BatchProcess(child, { responseSeconds: probeSeconds, maxResponses: 1 });
    const answered = await batch.send(mergeRequest(commit, commit)).then(
      () => true,
      () => false,
    );
    await batch.kill();
    return answered;
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

async function writeEmptyCommit(runner: GitRunner, repositoryPath: string) {
  const write = async (type: string, input: string) => {
    const parts = ['hash-object', '-w', '-t', type, '--stdin'];
    const { bytes } = await runner.run({ arguments: parts, repositoryPath, input });
    return expectObjectId(bytes.toString().trim());
  };
  const tree = await write('tree', '');
  return write('commit', `tree ${tree}\nauthor hob <> 0 +0000\ncommitter hob <> 0 +0000\n\n`);
}
