/**
 * The only file that starts another program: without a shell, in a process group of its own and
 * with exactly the environment given.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess, SendHandle, Serializable } from 'node:child_process';
import { Duplex, type Readable, type Writable } from 'node:stream';

import { errorCode } from './error-code.ts';

export interface ChildOptions {
  readonly command: string;
  readonly arguments: readonly string[];
  /** The whole environment: nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
  /** Gives the program, and what it starts, a socket to us as file descriptor 3. */
  readonly socket?: boolean;
}

export interface Child {
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The other end of its file descriptor 3, where it has one. */
  readonly socket: Duplex | undefined;
  /** Resolves, and never rejects, when the program has ended and its output was read to the end. */
  readonly ended: Promise<ChildEnd>;
  /** Kills the whole process group; false when the program had ended. */
  kill(): boolean;
}

export interface ChildEnd {
  /** The exit status; undefined when a signal ended the program or it never started. */
  readonly status: number | undefined;
  readonly signal: string | undefined;
  /** Why the program could not be started. */
  readonly startError: Error | undefined;
}

/** A program of ours: messages and open sockets go both ways. */
export interface TalkingChild extends Child {
  /** Input that cannot be sent any more is dropped: `ended` reports the exit. */
  send(message: Serializable, handle?: SendHandle): void;
  onMessage(listener: (message: unknown, handle: unknown) => void): void;
}

/**
 * Starts a program with three pipes, and a socket where it is asked for. Errors on its pipes show in how it ends, not as exceptions.
 */
export function startChild(options: ChildOptions): Child {
  return watched(
    spawn(options.command, options.arguments, {
      ...detachedWith(options),
      stdio: ['pipe', 'pipe', 'pipe', ...(options.socket ? ['pipe' as const] : [])],
    }),
  );
}

/** Starts a program of ours with three pipes and a channel for messages. */
export function startTalkingChild(options: ChildOptions): TalkingChild {
  const child = spawn(options.command, options.arguments, {
    ...detachedWith(options),
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    serialization: 'json',
  });
  return {
    ...watched(child),
    send(message, handle) {
      if (child.connected) child.send(message, handle, () => {});
    },
    onMessage(listener) {
      child.on('message', (message: unknown, handle: unknown) => listener(message, handle));
    },
  };
}

function detachedWith(options: ChildOptions) {
  return {
    cwd: options.directory,
    env: { ...options.environment },
    // A group of its own: a service manager's signal to our group must not end a program half way
    // through a write while we go on, and `kill` must reach the programs that this one starts.
    detached: true,
  };
}

function watched(child: ChildProcess): Child {
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw new Error('A child is started with three pipes.');
  let running = true;
  const ended = new Promise<ChildEnd>((resolve) => {
    child.once('error', (startError) => {
      if (child.pid !== undefined) return;
      running = false;
      resolve({ status: undefined, signal: undefined, startError });
    });
    child.once('exit', () => {
      running = false;
    });
    child.once('close', (status, signal) => {
      resolve({ status: status ?? undefined, signal: signal ?? undefined, startError: undefined });
    });
  });
  // A program may end before it has read all its input; its exit status shows that, so the broken pipe
  // need not.
  stdin.on('error', () => stdin.destroy());
  const socket = child.stdio[3];
  socket?.on('error', () => socket.destroy());
  return {
    pid: child.pid,
    stdin,
    stdout,
    stderr,
    socket: socket instanceof Duplex ? socket : undefined,
    ended,
    kill() {
      if (!running || child.pid === undefined) return false;
      return killGroup(child.pid);
    },
  };
}

function killGroup(leader: number): boolean {
  try {
    return process.kill(-leader, 'SIGKILL');
  } catch (error) {
    // The group may have ended by itself in the meantime; anything else is a fault of ours.
    if (errorCode(error) === 'ESRCH') return false;
    throw error;
  }
}
