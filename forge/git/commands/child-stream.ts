import { PassThrough, finished } from 'node:stream';
import type { Readable } from 'node:stream';

import type { Child, ChildEnd } from '#platform/child-process.ts';
import { inBackground } from '#platform/in-background.ts';

import { GitError } from '../git-error.ts';
import { collect, errorTextBytesMax, isDepthFailure, isMemoryMessage } from './run-git.ts';

/** Time that a transfer of git may go without data; then it is aborted: its peer is gone or does not read. */
const idleSeconds = 600;

/**
 * Processor time of each process of git for a clone, fetch, push or archive; then it is ended. While it computes, git writes to its
 * peer, and a small pack can hold days of work.
 */
export const transferProcessorSeconds = 3600;

/** Kills a child whose transfer makes no progress. `touch` is called whenever bytes move. */
export class IdleLimit {
  readonly #timer: NodeJS.Timeout;

  constructor(child: Child, onExpiry: () => void = () => {}) {
    this.#timer = setTimeout(() => {
      child.kill();
      onExpiry();
    }, idleSeconds * 1000);
    inBackground(child.ended.then(() => clearTimeout(this.#timer)));
  }

  touch(): void {
    this.#timer.refresh();
  }
}

/** A child's standard output as a stream. Destroying the stream ends the child. */
export function streamChild(child: Child): Readable {
  const output = new PassThrough();
  const idle = new IdleLimit(child, () =>
    output.destroy(new GitError('limit', `git sent nothing for ${idleSeconds} seconds.`)),
  );
  const errors = collect(child.stderr, errorTextBytesMax);
  child.stdout.on('data', () => idle.touch());
  child.stdout.pipe(output, { end: false });
  finished(output, (error) => {
    if (!error) return;
    child.kill();
    // A child ends when its output was read to the end, and nothing reads the rest of this one.
    child.stdout.destroy();
  });
  const onEnd = (end: ChildEnd): void => {
    if (end.startError || end.signal !== undefined) {
      // SIGKILL is the kernel when memory ran out, an operator, or the end of the git process.
      const other = isDepthFailure(end, '') ? 'limit' : 'failed';
      const kind = end.signal === 'SIGKILL' ? 'unavailable' : other;
      const how = end.startError?.message ?? end.signal ?? '';
      output.destroy(new GitError(kind, `git was terminated: ${how}`));
      return;
    }
    if (end.status !== 0 && isMemoryMessage(errors().toString())) {
      output.destroy(new GitError('limit', 'git exceeded its memory limit.'));
      return;
    }
    // Ignores any other nonzero status, because git has already reported the error to the client in the protocol.
    output.end();
  };
  inBackground(child.ended.then(onEnd), (error) => output.destroy(new Error(String(error))));
  return output;
}

/** Sends a request to a child's standard input. An aborted request ends the child. */
export function feedChild(request: Readable, child: Child): void {
  request.pipe(child.stdin);
  finished(request, { writable: false }, (error) => {
    if (error) child.kill();
  });
  // git may answer without reading on, yet the client sends all of its request before it reads the
  // answer.
  child.stdin.once('close', () => {
    request.unpipe(child.stdin);
    request.resume();
  });
}
