import type { Readable } from 'node:stream';

import type { Child } from '#platform/child-process.ts';
import { inBackground } from '#platform/in-background.ts';

import { streamChild } from '../commands/child-stream.ts';
import { type GitDirectory, requireRepository } from '../commands/git-directory.ts';
import { GitError } from '../git-error.ts';
import type { ObjectId } from '../names.ts';
import { findObject } from '../repository/objects.ts';

/** Streams a blob with backpressure: git waits for the reader, and ends when the stream is destroyed. */
export async function streamBlob(directory: GitDirectory, id: ObjectId): Promise<Readable> {
  await requireRepository(directory);
  const header = await findObject(directory, id);
  if (header?.type !== 'blob') throw new GitError('missing-object', `There is no blob ${id}.`);
  const child = directory.state.runner.start({
    arguments: ['cat-file', 'blob', id],
    repositoryPath: directory.path,
  });
  return streamWhole(child, `git could not read the blob ${id}.`);
}

/** What a command prints, to its end: truncated output must not look like the end of a file. */
export function streamWhole(child: Child, failure: string): Readable {
  child.stdin.end();
  const output = streamChild(child);
  inBackground(
    child.ended.then(({ status }) => {
      if (status !== 0) output.destroy(new GitError('failed', failure));
    }),
  );
  return output;
}
