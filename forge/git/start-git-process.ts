import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';

import { startChild } from '#platform/child-process.ts';
import type { Child } from '#platform/child-process.ts';
import { inBackground } from '#platform/in-background.ts';

import type { Git } from './git.ts';
import { connectGit } from './git-client.ts';
import { GitError } from './git-error.ts';
import { notDurableStatus } from './not-durable-status.ts';

export interface GitProcessSettings {
  readonly root: string;
  readonly socketPath: string;
  /** One line of what the git process has to say. */
  readonly log: (line: string) => void;
  /** The disk did not confirm a write: git is not started again, and the server should end. */
  readonly onNotDurable?: () => void;
}

export interface RunningGitProcess {
  readonly git: Git;
  readonly close: () => Promise<void>;
}

const program = fileURLToPath(new URL('git-process.ts', import.meta.url));
const readyMilliseconds = 30_000;
const closeMilliseconds = 10_000;
const restartMillisecondsMax = 5000;

/** Starts the git process, waits until it can be asked, and starts it again when it dies. */
export async function startGitProcess(settings: GitProcessSettings): Promise<RunningGitProcess> {
  const keeper = new Keeper(settings);
  await keeper.start();
  const git = connectGit(settings.socketPath, () => keeper.whenReady());
  return {
    git,
    async close() {
      await git.close();
      await keeper.close();
    },
  };
}

class Keeper {
  readonly #settings: GitProcessSettings;
  #child: Child | undefined;
  #ready: Promise<void> = Promise.resolve();
  #started = false;
  #closing = false;
  #restarts = 0;

  constructor(settings: GitProcessSettings) {
    this.#settings = settings;
  }

  /** Starts the process once; fails when it does not get ready. */
  async start(): Promise<void> {
    const child = startChild({
      command: process.execPath,
      arguments: [program, this.#settings.root, this.#settings.socketPath],
      environment: {},
      directory: '/',
    });
    this.#child = child;
    let lastWords = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      lastWords = (lastWords + text).slice(-2000);
      for (const line of text.split('\n').filter(Boolean)) this.#settings.log(line);
    });
    inBackground(
      child.ended.then((end) => this.#onEnd(child, end.status)),
      (error) => this.#settings.log(String(error)),
    );
    await becomesReady(child, () => lastWords);
    this.#started = true;
    this.#restarts = 0;
  }

  /** Waits, for a while, until the process can be asked. */
  whenReady(): Promise<void> {
    if (this.#closing) {
      return Promise.reject(new GitError('unavailable', 'The server is shutting down.'));
    }
    return this.#ready;
  }

  async close(): Promise<void> {
    this.#closing = true;
    const child = this.#child;
    if (!child) return;
    child.stdin.end();
    const timeout = setTimeout(() => child.kill(), closeMilliseconds);
    await child.ended;
    clearTimeout(timeout);
  }

  #onEnd(child: Child, status: number | undefined): void {
    // A process that never got ready at the first try is an error of `start`, not a crash.
    if (this.#closing || !this.#started || this.#child !== child) return;
    if (status === notDurableStatus) {
      const error = new GitError(
        'not-durable',
        'The disk did not confirm a write, so git was stopped. Check the volume, then start again.',
      );
      this.#ready = Promise.reject(error);
      this.#ready.catch(() => {});
      this.#settings.onNotDurable?.();
      return;
    }
    this.#settings.log(`The git process ended (${status ?? 'killed'}) and is started again.`);
    this.#ready = this.#restart();
    this.#ready.catch((error: unknown) => this.#settings.log(String(error)));
  }

  /**
   * Calls that come meanwhile wait for this. When it fails, the end of that child begins the next
   * try.
   */
  async #restart(): Promise<void> {
    await delay(Math.min(100 * 2 ** this.#restarts, restartMillisecondsMax));
    this.#restarts += 1;
    if (!this.#closing) await this.start();
  }
}

async function becomesReady(child: Child, lastWords: () => string): Promise<void> {
  const timeout = AbortSignal.timeout(readyMilliseconds);
  const failed = child.ended.then(() => {
    throw new GitError('unavailable', `The git process did not start: ${lastWords().trim()}`);
  });
  try {
    // Its first words are that it is ready.
    await Promise.race([once(child.stdout, 'data', { signal: timeout }), failed]);
  } catch (error) {
    child.kill();
    throw error;
  }
  failed.catch(() => {});
}
