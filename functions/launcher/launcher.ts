/**
 * The port to the process that starts functions. Starting a program from the API process would block everybody who
 * waits for an answer, so a small process of its own does it, and takes all its programs with it when it ends.
 */
import type { Socket } from 'node:net';

import type { Isolation } from './isolation.ts';

export interface Launcher {
  /** What the self-test at start found this host can do. */
  readonly isolation: Isolation;
  /** Makes the place of one execution environment: its user, its limits, its `/tmp`. */
  open(sandbox: SandboxSpec): Promise<Sandbox>;
  /** Ends every program and removes every place. */
  close(): Promise<void>;
}

/** The launcher process died and could not be started again yet. */
export class LauncherUnavailableError extends Error {
  constructor() {
    super('The launcher process is restarting.');
    this.name = 'LauncherUnavailableError';
  }
}

/** The launcher process died before it had done what it was asked for. */
export class LauncherLostError extends Error {
  constructor(reason: string) {
    super(`The launcher process exited (${reason}).`);
    this.name = 'LauncherLostError';
  }
}

export interface SandboxSpec {
  /** Lower-case letters and digits, unique for the life of the launcher. */
  readonly id: string;
  readonly memoryMiB: number;
  /** So much memory buys one whole processor; unless told, as much as by the vendor. */
  readonly memoryMiBPerProcessor?: number;
  /** The size of `/tmp`. */
  readonly temporaryMiB: number;
  readonly mounts: readonly Mount[];
  /** A folder to be `/` in place of the host's programs, read-only; for container images. */
  readonly root?: string;
  readonly network: Network;
}

export interface Mount {
  /** A folder or file of the host. */
  readonly from: string;
  /** Absolute, as the program sees it. */
  readonly to: string;
  readonly writable?: boolean;
  /** A folder of sockets: the place's own user alone may connect to them, whoever else can walk to them on the host. */
  readonly sockets?: boolean;
}

export type Network =
  /** Nothing but a loopback of its own. */
  | { readonly kind: 'none' }
  /** What the host itself reaches. */
  | { readonly kind: 'host' }
  /** Nothing but these, each by its name and port. */
  | { readonly kind: 'declared'; readonly targets: readonly NetworkTarget[] };

export interface NetworkTarget {
  /** The name that the program resolves. */
  readonly name: string;
  readonly port: number;
  /** Where connections end: `host:port` as the host sees it. */
  readonly forwardTo: string;
}

/** Outlives its programs: what one leaves in `/tmp` is there for the next. */
export interface Sandbox {
  /**
   * Starts a program, beside those that run here already: they share `/tmp`, mounts, user and network, and each has its own
   * processes and limits. Its standard output and error both go to `output`, a Unix socket that is listened on.
   */
  start(program: Program): Promise<RunningProgram>;
  /**
   * Hands over every connection that a program of this place makes to 127.0.0.1 (its own loopback, where it has one) and
   * answers with the `host:port` to tell it. On a loopback that it shares, connections of others are closed.
   */
  listenInside(onConnection: (socket: Socket) => void): Promise<string>;
  /**
   * Connects to what a program of this place listens on, at 127.0.0.1. We must speak first: what comes before the connection
   * has been handed over is lost.
   */
  connectInside(port: number): Promise<Socket>;
  /** Calls back once when the launcher process has died, which ends everything here; at once if it has. */
  onLost(listener: () => void): void;
  close(): Promise<void>;
}

export interface Program {
  readonly command: readonly [string, ...string[]];
  /** The whole environment. Never shows in the host's list of processes. */
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
  /** Path of the Unix socket, on the host, that takes what the program prints. */
  readonly output: string;
}

export interface RunningProgram {
  /** Resolves, never rejects, when the program and everything that it started are gone. */
  readonly ended: Promise<ProgramEnd>;
  /** Kills the program and everything that it started, and resolves when they are gone. */
  kill(): Promise<void>;
  /** From now on the program gets the share of the processor that its memory buys; before, all it can have. */
  throttle(): void;
  /** The most memory that it has used since its start, in bytes; known also when it has ended. */
  peakMemory(): Promise<number>;
}

export type ProgramEnd =
  | { readonly kind: 'exited'; readonly status: number }
  | { readonly kind: 'killed'; readonly signal: string; readonly outOfMemory: boolean }
  /** The launcher process died, and the program with it: it did not end by itself. */
  | { readonly kind: 'lost' }
  /** It never ran. */
  | { readonly kind: 'not-started'; readonly reason: NotStarted; readonly message: string };

export type NotStarted = 'no-such-file' | 'not-permitted' | 'no-such-directory' | 'other';
