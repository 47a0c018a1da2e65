/**
 * The port to the process that starts functions. Starting a program from the API process would block all requests in progress, so
 * a small separate process does it, and ends all its programs when it ends.
 */
import type { Socket } from 'node:net';

import type { Isolation } from './isolation.ts';

export interface Launcher {
  /** What the self-test at start found this host can do. */
  readonly isolation: Isolation;
  /** False while there is no launcher process and callers wait no longer for the next one. */
  readonly isAvailable: boolean;
  /** Creates the sandbox of one execution environment: its user, its limits, its `/tmp`. */
  open(sandbox: SandboxSpec): Promise<Sandbox>;
  /**
   * The owners of the other ends of connections within this machine, in the order given. Empty while there is no launcher process: its
   * programs have ended with it.
   */
  ownersOf(connections: readonly LoopbackConnection[]): Promise<readonly PeerOwner[]>;
  /** Ends every program and removes every sandbox. */
  close(): Promise<void>;
}

/** A TCP connection, seen from our end. */
export interface LoopbackConnection {
  readonly address: string;
  readonly port: number;
  readonly peerAddress: string;
  readonly peerPort: number;
}

export type PeerOwner =
  /** A program of the sandbox with this id. */
  | { readonly kind: 'sandbox'; readonly id: string }
  /** A program that no sandbox has, or that is on another machine. */
  | { readonly kind: 'other' }
  /** No program any more: it has closed the connection. */
  | { readonly kind: 'closed' };

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
  /** The memory that entitles a program to one whole processor; AWS's figure by default. */
  readonly memoryMiBPerProcessor?: number;
  /** The size of `/tmp`. */
  readonly ephemeralStorageMiB: number;
  readonly mounts: readonly Mount[];
  /** A directory to mount read-only as `/` instead of the host's programs; for container images. */
  readonly root?: string;
  readonly network: Network;
}

export interface Mount {
  /** A folder or file of the host. */
  readonly from: string;
  /** Absolute, as the program sees it. */
  readonly to: string;
  readonly writable?: boolean;
  /** A directory of sockets: only the sandbox's own user may connect to them, even if other users can traverse the path. */
  readonly sockets?: boolean;
}

export type Network =
  /** Nothing but a loopback of its own. */
  | { readonly kind: 'none' }
  /** Public addresses, and nothing of the host and of private networks. */
  | { readonly kind: 'internet' }
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

/** Where programs of sandboxes with a loopback of their own find the service: at the host and port of its base URL. */
export interface ServiceAddress {
  /** An address of the sandbox's loopback interface. */
  readonly address: string;
  readonly port: number;
  /** The host name that resolves to it; undefined: the base URL contains the address itself. */
  readonly name: string | undefined;
}

/** Outlives its programs: what one leaves in `/tmp` is there for the next. */
export interface Sandbox {
  /**
   * Starts a program in addition to those that already run here: they share `/tmp`, mounts, user and network; each has its own
   * processes and limits. Its standard output and error both go to `output`, a Unix socket that is listened on.
   */
  start(program: Program): Promise<RunningProgram>;
  /**
   * Passes on every connection that a program of this sandbox makes to 127.0.0.1 (its own loopback, where it has one) and
   * returns the `host:port` to give it. On a shared loopback, connections of other programs are closed.
   */
  listenOnLoopback(onConnection: (socket: Socket) => void): Promise<string>;
  /**
   * Passes on every connection that a program of this sandbox makes to the service's address, from its first program on. False where
   * the sandbox has no loopback of its own, and its programs reach that address as the host does.
   */
  serveOnLoopback(onConnection: (socket: Socket) => void): Promise<boolean>;
  /**
   * Connects to a port on 127.0.0.1 that a program of this sandbox listens on. The client must send first: data that arrives before
   * the connection has been passed on is lost.
   */
  connectToLoopback(port: number): Promise<Socket>;
  /** Calls back once when the launcher process dies, which ends every program here; immediately if it is already dead. */
  onLost(listener: () => void): void;
  close(): Promise<void>;
}

export interface Program {
  readonly command: readonly [string, ...string[]];
  /** All environment variables. They never appear in the host's process list. */
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
  /** Host path of the Unix socket that receives the program's output. */
  readonly output: string;
}

export interface RunningProgram {
  /** Resolves, never rejects, when the program and everything that it started have ended. */
  readonly ended: Promise<ProgramEnd>;
  /** Kills the program and everything that it started; resolves when they have ended. */
  kill(): Promise<void>;
  /** Asks the program itself to end (SIGTERM); it may ignore that. */
  terminate(): void;
  /** From now on limits the program to the processor share of its memory size; until then it is not limited. */
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
