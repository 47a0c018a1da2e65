import { PassThrough, finished } from 'node:stream';
import type { Readable } from 'node:stream';

import type { Child, ChildEnd } from '#platform/child-process.ts';
import { inBackground } from '#platform/in-background.ts';

import { GitError } from '../git-error.ts';

/**
 * A transfer that does not move at all for this long is given up: its peer is gone or will never
 * read.
 */
const idleSeconds = 600;

/** Kills a child whose transfer stands still. `touch` is called whenever bytes move. */
export class IdleLimit {
  readonly #timer: NodeJS.Timeout;
  #expired = false;

  constructor(child: Child) {
    this.#timer = setTimeout(() => {
      this.#expired = true;
      child.kill();
    }, idleSeconds * 1000);
    inBackground(child.ended.then(() => clearTimeout(this.#timer)));
  }

  get expired(): boolean {
    return this.#expired;
  }

  touch(): void {
    this.#timer.refresh();
  }
}

/** A child's standard output as a stream. Whoever stops reading it ends the child. */
export function streamChild(child: Child): Readable {
  const output = new PassThrough();
  const idle = new IdleLimit(child);
  child.stderr.resume();
  child.stdout.on('data', () => idle.touch());
  child.stdout.pipe(output, { end: false });
  finished(output, (error) => {
    if (error) child.kill();
  });
  const onEnd = (end: ChildEnd): void => {
    if (end.startError || end.signal !== undefined) {
      const reason = idle.expired ? `no data for ${idleSeconds} seconds` : end.signal;
      output.destroy(new GitError('limit', `git was terminated: ${reason ?? ''}`));
      return;
    }
    // A status other than zero is no news: git told the client itself, inside the protocol.
    output.end();
  };
  inBackground(child.ended.then(onEnd), (error) => output.destroy(new Error(String(error))));
  return output;
}

/** Gives a request to a child's standard input. A request that breaks off ends the child. */
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
