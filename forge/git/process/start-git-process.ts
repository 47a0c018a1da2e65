import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

import type { Child, ChildEnd } from '#platform/child-process.ts';
import { startHeartbeat, type HeartbeatTimes } from '#platform/heartbeat.ts';
import { inBackground } from '#platform/in-background.ts';
import { OperatorError } from '#platform/operator-error.ts';
import { RestartBackoff } from '#platform/restart-backoff.ts';

import type { Git } from '../git.ts';
import { connectGit } from './git-client.ts';
import { type GitConnection, ping } from './git-connection.ts';
import { GitError } from '../git-error.ts';
import { startGitProgram } from './spare-git-process.ts';
import { notDurableStatus } from './wire.ts';

export interface GitProcessSettings {
  readonly root: string;
  /** Of the shard whose folder the root is; undefined: the default one. */
  readonly folderKey?: string | undefined;
  readonly socketPath: string;
  /** Receives one line of the git process's log. */
  readonly log: (line: string) => void;
  /** The disk did not confirm a write: git is not started again, and the server should end. */
  readonly onNotDurable?: () => void;
  /** A process to begin with, where one waits for that. */
  readonly takeSpare?: (() => Child | undefined) | undefined;
  /** Time that the process has to start. */
  readonly readyMilliseconds?: number;
  /** How long a call waits for a process that is being started again. */
  readonly patienceMilliseconds?: number;
  /** When a process that does not answer counts as hanging. */
  readonly heartbeat?: HeartbeatTimes;
}

export interface RunningGitProcess {
  readonly git: Git;
  readonly statistics: () => GitStatistics;
  readonly close: () => Promise<void>;
}

export interface StartingGitProcess extends RunningGitProcess {
  readonly connection: GitConnection;
  /** Resolves when git can be asked. */
  readonly ready: Promise<void>;
  /** Waits, for a while, until the process can be asked, which may have been started again. */
  readonly whenReady: () => Promise<void>;
}

export interface GitStatistics {
  readonly callsInProgress: number;
  /** How often the process had to be started again. */
  readonly restarts: number;
  /** False where calls would wait now, and be refused in the end. */
  readonly isAvailable: boolean;
}

/** Time for the git process to start; then it is killed, and the start of the server fails. */
const readyMillisecondsDefault = 30_000;
/** Time for the git process to end when the server stops; then it is killed. */
const closeMilliseconds = 10_000;
/**
 * Time that a call waits for a git process that is being started again; then it is answered 503. Short enough that the caller
 * gets a response within 5 seconds, including the call itself.
 */
const patienceMilliseconds = 4000;

/** Starts the git process, waits until it can be asked, and starts it again whenever it dies or hangs. */
export async function startGitProcess(settings: GitProcessSettings): Promise<RunningGitProcess> {
  const starting = beginGitProcess(settings);
  await starting.ready;
  return starting;
}

/** The same without waiting, for a server that does other things meanwhile. */
export function beginGitProcess(settings: GitProcessSettings): StartingGitProcess {
  const supervisor = new Supervisor(settings);
  const ready = supervisor.begin().catch(failForOperator);
  // As that of the supervisor.
  ready.catch(() => {});
  const git = connectGit(settings.socketPath, () => supervisor.whenReady());
  return {
    git,
    connection: git.connection,
    ready,
    whenReady: () => supervisor.whenReady(),
    statistics: () => ({
      callsInProgress: git.callsInProgress(),
      restarts: supervisor.restarts,
      isAvailable: supervisor.isAvailable,
    }),
    async close() {
      await git.close();
      await supervisor.close();
    },
  };
}

/** Calls are refused as those of any git that is away; the operator gets the message without a stack. */
function failForOperator(error: unknown): never {
  throw error instanceof GitError ? new OperatorError(error.message, { cause: error }) : error;
}

class Supervisor {
  readonly #settings: GitProcessSettings;
  readonly #backoff = new RestartBackoff();
  readonly #closing = new AbortController();
  #child: Child | undefined;
  #restarts = 0;
  #isAvailable = false;
  #endHeartbeat: () => void = () => {};
  /** Resolves when the process is ready (again); rejects if it never will be. */
  #ready: Promise<void> = Promise.resolve();

  constructor(settings: GitProcessSettings) {
    this.#settings = settings;
  }

  begin(): Promise<void> {
    this.#ready = this.#start();
    // Its callers report the rejection.
    this.#ready.catch(() => {});
    return this.#ready;
  }

  /** Starts the process; fails when it does not get ready. */
  async #start(): Promise<void> {
    const {
      root,
      socketPath,
      folderKey,
      readyMilliseconds = readyMillisecondsDefault,
    } = this.#settings;
    const parts = [root, socketPath, ...(folderKey === undefined ? [] : [folderKey])];
    const spare = this.#settings.takeSpare?.();
    spare?.stdin.write(`${JSON.stringify(parts)}\n`);
    const child = spare ?? startGitProgram(parts);
    this.#child = child;
    let lastErrorLine = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      lastErrorLine = (lastErrorLine + text).slice(-2000);
      for (const line of text.split('\n').filter(Boolean)) this.#settings.log(line);
    });
    await becomesReady(child, { root, readyMilliseconds, lastErrorLine: () => lastErrorLine });
    this.#backoff.started();
    this.#isAvailable = true;
    this.#endHeartbeat = startHeartbeat(
      () => ping(this.#settings.socketPath),
      () => {
        this.#settings.log('The git process does not answer any more, and is killed.');
        child.kill();
      },
      this.#settings.heartbeat,
    );
    inBackground(
      child.ended.then((end) => this.#onDeath(end)),
      (error) => this.#settings.log(String(error)),
    );
  }

  /** Waits, for a while, until the process can be asked. */
  async whenReady(): Promise<void> {
    if (this.#closing.signal.aborted) throw shuttingDown();
    const late = new AbortController();
    const patience = this.#settings.patienceMilliseconds ?? patienceMilliseconds;
    const tooLong = delay(patience, 'too long' as const, { signal: late.signal });
    const outcome = await Promise.race([this.#ready, tooLong]).finally(() => late.abort());
    if (outcome !== 'too long') return;
    throw new GitError('unavailable', 'The git process is restarting.');
  }

  get restarts(): number {
    return this.#restarts;
  }

  get isAvailable(): boolean {
    return this.#isAvailable;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#endHeartbeat();
    this.#child?.stdin.end();
    // Ends a restart in progress: it may be waiting, or its process gets the signal to end.
    await this.#ready.catch(() => {});
    const child = this.#child;
    if (!child) return;
    child.stdin.end();
    const timeout = setTimeout(() => child.kill(), closeMilliseconds);
    await child.ended;
    clearTimeout(timeout);
  }

  #onDeath(end: ChildEnd): void {
    this.#isAvailable = false;
    this.#endHeartbeat();
    if (this.#closing.signal.aborted) return;
    if (end.status === notDurableStatus) {
      this.#stop();
      return;
    }
    const reason = end.signal ?? `exit status ${end.status ?? 'unknown'}`;
    this.#settings.log(`The git process exited (${reason}). Restarting it.`);
    this.#restarts += 1;
    this.#ready = this.#restart();
    // `whenReady` reports the rejection to its callers.
    this.#ready.catch(() => {});
  }

  async #restart(): Promise<void> {
    const { signal } = this.#closing;
    for (;;) {
      await delay(this.#backoff.failed(), undefined, { signal }).catch(() => {});
      if (signal.aborted) throw shuttingDown();
      try {
        await this.#start();
        return;
      } catch (error) {
        this.#settings.log(`Restarting the git process failed: ${String(error)}`);
        if ((await this.#child?.ended)?.status === notDurableStatus) throw this.#stop();
      }
    }
  }

  /** What the disk has not confirmed cannot be trusted: git is not started again. */
  #stop(): GitError {
    const error = new GitError(
      'not-durable',
      'The disk failed to sync a write, so git was stopped. Check the volume, then restart Hob.',
    );
    this.#ready = Promise.reject(error);
    this.#ready.catch(() => {});
    this.#settings.onNotDurable?.();
    return error;
  }
}

function shuttingDown(): GitError {
  return new GitError('unavailable', 'The server is shutting down.');
}

interface ReadyOptions {
  readonly root: string;
  readonly readyMilliseconds: number;
  readonly lastErrorLine: () => string;
}

async function becomesReady(
  child: Child,
  { root, readyMilliseconds, lastErrorLine }: ReadyOptions,
): Promise<void> {
  const timeout = AbortSignal.timeout(readyMilliseconds);
  const failed = child.ended.then(() => {
    throw new GitError(
      'unavailable',
      `Starting the git process failed: ${lastErrorLine().trim().replace(/\.$/, '')}. Check the folder ${root}, who may write to it, and with \`hob doctor\` whether git runs; then start Hob again.`,
    );
  });
  try {
    // Its first output reports that it is ready.
    await Promise.race([once(child.stdout, 'data', { signal: timeout }), failed]);
  } catch (error) {
    child.kill();
    if (error instanceof GitError || !timeout.aborted) throw error;
    const last = lastErrorLine().trim();
    // The host is too slow, or the volume of the repositories is.
    throw new GitError(
      'unavailable',
      `The git process of ${root} was not ready after ${readyMilliseconds / 1000} seconds, and was killed. Check the load of the host and the volume of that folder; start Hob again if it has ended.${last === '' ? '' : ` It said last: ${last}`}`,
      { cause: error },
    );
  }
  failed.catch(() => {});
}
