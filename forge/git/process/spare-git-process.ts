import { fileURLToPath } from 'node:url';

import { type Child, startChild } from '#platform/child-process.ts';
import { compileCacheEnvironment } from '#platform/compile-cache.ts';
import { inBackground } from '#platform/in-background.ts';

const program = fileURLToPath(new URL('git-process.ts', import.meta.url));

/** Starts the program of the git process; without arguments, it waits for them on its standard input. */
export function startGitProgram(parts: readonly string[]): Child {
  return startChild({
    command: process.execPath,
    arguments: [program, ...parts],
    environment: compileCacheEnvironment(),
    directory: '/',
  });
}

/** Time until a node has a git process in reserve again, so that it does not start while one is needed. */
const spareMilliseconds = 5000;

/** A git process in reserve, which has loaded its program and knows no repositories: a node that takes a shard over does not wait for that. */
export class SpareGitProcess {
  readonly #milliseconds: number;
  #timer: NodeJS.Timeout | undefined;
  #child: Child | undefined;
  #isClosed = false;

  constructor(milliseconds = spareMilliseconds) {
    this.#milliseconds = milliseconds;
    this.#startLater();
  }

  /** It is the caller's from now on. Undefined: there is none now. */
  take(): Child | undefined {
    const child = this.#child;
    this.#child = undefined;
    this.#startLater();
    return child;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const child = this.#child;
    this.#child = undefined;
    child?.kill();
    await child?.ended;
  }

  #startLater(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => this.#start(), this.#milliseconds);
  }

  #start(): void {
    const child = startGitProgram([]);
    this.#child = child;
    // It says nothing before it has received its root; its end shows only where that is read.
    child.stdout.resume();
    child.stderr.resume();
    inBackground(
      child.ended.then(() => {
        if (this.#child !== child) return;
        this.#child = undefined;
        this.#startLater();
      }),
    );
  }
}
