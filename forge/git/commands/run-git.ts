import { access } from 'node:fs/promises';
import { join } from 'node:path';

import { startChild, type Child, type ChildEnd } from '#platform/child-process.ts';
import { isDiskFull } from '#platform/disk-space.ts';
import { FairSemaphore } from '#platform/fair-semaphore.ts';
import { inBackground } from '#platform/in-background.ts';
import { isDiskFullMessage } from '#platform/storage-failure.ts';
import { Semaphore } from '#platform/semaphore.ts';

import { GitError } from '../git-error.ts';
import type { Durability } from './durability.ts';
import {
  gitCommandLine,
  gitEnvironment,
  type GitTools,
  type GitLimits,
} from './git-environment.ts';

/** A git command. Text from users is in it only as a validated type of names.ts. */
interface GitCommand {
  readonly arguments: readonly string[];
  /** The bare repository that it works in. */
  readonly repositoryPath?: string;
  readonly settings?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly limits?: Partial<GitLimits>;
  readonly unbuffered?: boolean;
  /** Give the command's hooks a socket to us as file descriptor 3. */
  readonly socket?: boolean;
}

/** A command whose output is collected. */
export interface CollectedCommand extends GitCommand {
  readonly input?: Buffer | string;
  /** Exit statuses that are responses (default: only 0); any other is an error. */
  readonly statuses?: readonly number[];
  readonly outputBytesMax?: number;
  /** End the command quietly where its output reaches the maximum, instead of failing. */
  readonly cut?: boolean;
  /**
   * Looks at the output as it comes and ends the command quietly when that is all that is wanted.
   */
  readonly enough?: (chunk: Buffer) => boolean;
  /** Takes seconds of a processor: few run at once, in a queue of their own, so that they do not block other commands. */
  readonly slow?: boolean;
}

export interface GitOutput {
  readonly status: number;
  readonly bytes: Buffer;
  /** The beginning of its standard error. */
  readonly errorText: string;
  /** The output reached its maximum and the rest is missing. */
  readonly cut: boolean;
}

const mebibyte = 1024 * 1024;

/** A command of git that does not say otherwise: time, and memory. */
const defaultLimits: GitLimits = { seconds: 30, memoryBytes: 512 * mebibyte };

/** Output of a command of git that does not say otherwise. */
const defaultOutputBytesMax = 64 * mebibyte;

/** Bytes of stderr of a command of git that are stored. */
export const errorTextBytesMax = 4096;

/** Commands of git that run at once; others wait, and those of the repository with the fewest go first. */
const commandsAtOnce = 8;

/** Commands of git that run at once in one repository: one whose commands take long holds up no other. */
const commandsOfOneMax = 6;

/**
 * Copies and maintenance that run at once. They take minutes: they have a queue of their own, so that they do not block other
 * commands.
 */
const longCommandsAtOnce = 2;

/** Time limit above which a command of git counts as long. */
const longSeconds = 60;

/** Slow commands of git, such as searches, that run at once; they have a queue of their own. */
const slowCommandsAtOnce = 2;

const trustedCommands = [
  'update-ref',
  'symbolic-ref',
  'pack-refs',
  'repack',
  'index-pack',
  'receive-pack',
];

/** Starts every git command there is: the only way from the forge to a child process. */
export class GitRunner {
  readonly tools: GitTools;
  readonly #durability: Durability;
  readonly #children = new Set<Child>();
  readonly #commands = new FairSemaphore(commandsAtOnce, commandsOfOneMax);
  readonly #longCommands = new Semaphore(longCommandsAtOnce);
  readonly #slowCommands = new FairSemaphore(slowCommandsAtOnce, slowCommandsAtOnce);
  #closed = false;

  constructor(tools: GitTools, durability: Durability) {
    this.tools = tools;
    this.#durability = durability;
  }

  /** How many children there are now, batch processes included. */
  get children(): number {
    return this.#children.size;
  }

  /** Starts a command whose pipes the caller serves. The caller sets the deadline. */
  start(command: GitCommand): Child {
    this.#durability.check();
    if (this.#closed) throw new GitError('unavailable', 'The git process is shutting down.');
    const child = startChild({
      ...gitCommandLine(this.tools, {
        arguments: command.arguments,
        repositoryPath: command.repositoryPath,
        limits: { ...defaultLimits, ...command.limits },
        settings: command.settings ?? [],
        unbuffered: command.unbuffered ?? false,
      }),
      environment: gitEnvironment(command.environment ?? {}),
      directory: '/',
      socket: command.socket ?? false,
    });
    this.#children.add(child);
    inBackground(child.ended.then(() => this.#children.delete(child)));
    return child;
  }

  /** Runs a command to its end and returns its output. */
  run(command: CollectedCommand): Promise<GitOutput> {
    const isLong = (command.limits?.seconds ?? 0) > longSeconds;
    const work = (): Promise<GitOutput> => this.#collect(command);
    if (isLong) return this.#longCommands.run(work);
    const queue = command.slow === true ? this.#slowCommands : this.#commands;
    return queue.run(command.repositoryPath ?? '', work);
  }

  /** What a failed command means. */
  async failure(command: GitCommand, end: ChildEnd, errorText: string): Promise<GitError> {
    const name = command.arguments[0] ?? 'git';
    this.stopAfterFailedSync(name, errorText);
    if (command.repositoryPath !== undefined && !(await isRepository(command.repositoryPath))) {
      return new GitError('missing-repository', `No repository at ${command.repositoryPath}.`);
    }
    if (isMemoryMessage(errorText)) {
      return new GitError('limit', `git ${name} exceeded its memory limit.`);
    }
    if (isDepthFailure(end, errorText)) {
      return new GitError(
        'limit',
        `git ${name} failed: folders are too deep inside of each other.`,
      );
    }
    const { repositoryPath } = command;
    // git does not always say why it could not write.
    const full = repositoryPath !== undefined && (await isDiskFull(repositoryPath));
    if (full || isDiskFullMessage(errorText)) {
      return new GitError('disk-full', `git ${name} failed: no space left on the disk.`);
    }
    if (end.signal === 'SIGKILL') {
      // The kernel when memory ran out, an operator, or the end of the git process.
      return new GitError(
        'unavailable',
        `git ${name} was killed; the operation may have completed.`,
      );
    }
    const how = end.startError?.message ?? end.signal ?? `status ${end.status ?? 'unknown'}`;
    return new GitError('failed', `git ${name} failed with ${how}: ${errorText.trim()}`);
  }

  /**
   * Throws, and stops everything, if git reports that the disk did not confirm a write (reliability
   * rule D3). Its error message is the only sign of that, and is trusted only from commands whose
   * output contains no text from users.
   */
  stopAfterFailedSync(name: string, errorText: string): void {
    const failed = /^fatal: .*fsync error on .*$/m.exec(errorText)?.[0];
    // A full disk may fail only the sync. The file is not renamed yet, and git discards it.
    if (!trustedCommands.includes(name) || failed === undefined || isDiskFullMessage(failed))
      return;
    throw this.#durability.fail(errorText, `git ${name}`);
  }

  /** Kills every child and starts no more. */
  async close(): Promise<void> {
    this.#closed = true;
    const children = [...this.#children];
    for (const child of children) child.kill();
    await Promise.all(children.map((child) => child.ended));
  }

  async #collect(command: CollectedCommand): Promise<GitOutput> {
    const child = this.start(command);
    const seconds = command.limits?.seconds ?? defaultLimits.seconds;
    let stopped: 'time' | 'output' | undefined;
    const stop = (reason: 'time' | 'output') => {
      stopped ??= reason;
      child.kill();
    };
    const deadline = setTimeout(() => stop('time'), seconds * 1000);
    const output = collect(child.stdout, command.outputBytesMax ?? defaultOutputBytesMax, () =>
      stop('output'),
    );
    child.stdout.on('data', (chunk: Buffer) => {
      if (command.enough?.(chunk)) stop('output');
    });
    const errors = collect(child.stderr, errorTextBytesMax);
    child.stdin.end(command.input);
    const end = await child.ended;
    clearTimeout(deadline);

    if (stopped === 'output' && (command.cut || command.enough)) {
      return { status: 0, bytes: output(), errorText: errors().toString(), cut: true };
    }
    if (stopped !== undefined) {
      const problem =
        stopped === 'time' ? `took longer than ${seconds} seconds` : 'output too large';
      throw new GitError('limit', `git ${command.arguments[0] ?? ''} ${problem}.`);
    }
    if (end.status !== undefined && (command.statuses ?? [0]).includes(end.status)) {
      const errorText = errors().toString();
      return { status: end.status, bytes: output(), errorText, cut: false };
    }
    if (this.#closed) throw new GitError('unavailable', 'The git process is shutting down.');
    throw await this.failure(command, end, errors().toString());
  }
}

/** What git prints when it cannot have more memory, or a thread. */
export function isMemoryMessage(errorText: string): boolean {
  return /out of memory|unable to create thread|mmap failed/i.test(errorText);
}

/** Commands of git call themselves for each folder in another one: since 2.43 up to a limit, before until their stack is full. */
export function isDepthFailure({ signal }: ChildEnd, errorText: string): boolean {
  return signal === 'SIGSEGV' || /exceeded maximum allowed tree depth/.test(errorText);
}

/** Gathers a stream up to a maximum; drops the rest, so that the writer never blocks. */
export function collect(
  stream: Child['stdout'],
  bytesMax: number,
  onOverflow?: () => void,
): () => Buffer {
  const chunks: Buffer[] = [];
  let length = 0;
  stream.on('data', (chunk: Buffer) => {
    if (length >= bytesMax) return;
    const stored = chunk.subarray(0, bytesMax - length);
    chunks.push(stored);
    length += stored.length;
    if (length >= bytesMax) onOverflow?.();
  });
  return () => Buffer.concat(chunks);
}

async function isRepository(path: string): Promise<boolean> {
  return access(join(path, 'HEAD')).then(
    () => true,
    () => false,
  );
}
