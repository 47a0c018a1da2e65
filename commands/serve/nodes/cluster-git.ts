import { connect, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

import { GitError } from '#forge/git/git-error.ts';
import { GitConnection } from '#forge/git/process/git-connection.ts';
import type { GitStatistics, StartingGitProcess } from '#forge/git/process/start-git-process.ts';
import { inBackground } from '#platform/in-background.ts';

type OwnProcess = Pick<StartingGitProcess, 'ready' | 'whenReady' | 'statistics' | 'close'>;

/** Where calls of git go. */
type Route =
  | { readonly kind: 'none' }
  | { readonly kind: 'own'; readonly process: OwnProcess }
  | { readonly kind: 'other'; readonly dial: () => Socket };

export interface ClusterGitOptions {
  readonly socketPath: string;
  /** Starts the git process at that socket. Called when this server gets the shard. */
  readonly begin: () => OwnProcess;
  readonly patienceMilliseconds?: number;
}

/**
 * Time that a call of git waits for the owner of its shard, as for a git process that starts again; then it is answered 503.
 */
const patienceMillisecondsDefault = 4000;
/** Time that a handover of repositories waits for calls of git under way, and new calls for the handover. */
export const drainMilliseconds = 500;
/**
 * Time after which new calls of git go on although the handover that they wait for has not ended: shorter than their patience, so that they
 * are served where no notice says that the shard stays.
 */
const pauseMilliseconds = 3000;
/** Time between two checks whether calls of git are under way. */
const pollMilliseconds = 5;

/** git of a shard at a node: that of the node which has the shard, wherever it is. While none has, calls wait. */
export class ClusterGit {
  readonly connection: GitConnection;
  /** Resolves when calls have somewhere to go for the first time. */
  readonly ready: Promise<void>;
  readonly #options: ClusterGitOptions;
  readonly #sockets = new Set<Socket>();
  readonly #tunnels = new Set<Socket>();
  #route: Route = { kind: 'none' };
  /** The last connection to the server that has the shard failed. */
  #isUnreachable = false;
  /** Replaced, and resolved, at every change of the route. */
  #changed = Promise.withResolvers<void>();
  #pause: NodeJS.Timeout | undefined;
  /** Refuses all calls of a server that others may take for dead. */
  #mayCall: () => boolean = () => true;
  #process: OwnProcess | undefined;
  #closed = false;

  constructor(options: ClusterGitOptions) {
    this.#options = options;
    this.connection = new GitConnection(
      () => this.#dial(),
      () => this.#whenReady(),
    );
    this.ready = this.#firstReady();
    // Its failure is reported where it is awaited.
    this.ready.catch(() => {});
  }

  readonly statistics = (): GitStatistics => ({
    callsInProgress: this.connection.inProgress,
    restarts: this.#process?.statistics().restarts ?? 0,
    isAvailable: this.#isAvailable(),
  });

  #isAvailable(): boolean {
    switch (this.#route.kind) {
      case 'own':
        return this.#route.process.statistics().isAvailable;
      case 'other':
        return !this.#isUnreachable;
      case 'none':
        return false;
    }
  }

  /** Whether this server may still call git is asked before every call. */
  guardWith(mayCall: () => boolean): void {
    this.#mayCall = mayCall;
  }

  /** This server has the shard now. `onFailure`: its git process does not start. */
  own(onFailure: (error: unknown) => void): void {
    if (this.#closed || this.#process) return;
    const process = this.#options.begin();
    this.#process = process;
    const route: Route = { kind: 'own', process };
    this.#follow(route);
    process.ready.catch((error: unknown) => {
      // One that was released or closed before it was ready has not failed.
      if (this.#route === route) onFailure(error);
    });
  }

  /** Whether this server runs git of the shard. */
  hasProcess(): boolean {
    return this.#process !== undefined;
  }

  /** Another server has it. */
  ask(dial: () => Socket): void {
    this.#follow({ kind: 'other', dial });
  }

  /** No node has it, as far as is known. */
  wait(): void {
    this.#follow({ kind: 'none' });
  }

  /** Serves the calls of another node, which come over this connection. */
  accept(socket: Socket): void {
    const { process } = this.#route.kind === 'own' ? this.#route : { process: undefined };
    if (!process) {
      socket.destroy();
      return;
    }
    this.#tunnels.add(socket);
    socket.once('close', () => this.#tunnels.delete(socket));
    socket.pause();
    inBackground(
      process.whenReady().then(() => join(socket, connect(this.#options.socketPath))),
      () => socket.destroy(),
    );
  }

  /** New calls wait until another server has the shard. Resolves when those under way have ended, or their time has. */
  async pause(): Promise<void> {
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.resume(), pauseMilliseconds);
    await this.#drain();
  }

  /** New calls go on. */
  resume(): void {
    clearTimeout(this.#pause);
    this.#pause = undefined;
    const changed = this.#changed;
    this.#changed = Promise.withResolvers();
    changed.resolve();
  }

  /** Ends the git process of this server, so that another may have the shard. Calls wait meanwhile. */
  async release(): Promise<void> {
    await this.pause();
    const process = this.#process;
    this.#follow({ kind: 'none' });
    for (const socket of this.#tunnels) socket.destroy();
    await process?.close();
    if (this.#process === process) this.#process = undefined;
  }

  /** Ends the git process of this server, if there is one. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#pause);
    this.#follow({ kind: 'none' });
    this.connection.close();
    for (const socket of this.#tunnels) socket.destroy();
    await this.#process?.close();
  }

  async #drain(): Promise<void> {
    const deadline = performance.now() + drainMilliseconds;
    while (this.connection.inProgress > 0 && performance.now() < deadline) {
      await delay(pollMilliseconds);
    }
  }

  #follow(route: Route): void {
    this.#route = route;
    this.#isUnreachable = false;
    // Connections to the server that had them.
    for (const socket of this.#sockets) socket.destroy();
    this.resume();
  }

  #dial(): Socket {
    const socket = this.#open();
    const { sockets, route } = { sockets: this.#sockets, route: this.#route };
    sockets.add(socket);
    const note = (isUnreachable: boolean) => (): void => {
      if (this.#route === route) this.#isUnreachable = isUnreachable;
    };
    socket.once('connect', note(false));
    socket.once('error', note(true));
    return socket.once('close', () => sockets.delete(socket));
  }

  #open(): Socket {
    switch (this.#route.kind) {
      case 'own':
        return connect(this.#options.socketPath);
      case 'other':
        return this.#route.dial();
      case 'none':
        throw waiting();
    }
  }

  async #whenReady(): Promise<void> {
    const { patienceMilliseconds = patienceMillisecondsDefault } = this.#options;
    const deadline = performance.now() + patienceMilliseconds;
    while (this.#route.kind === 'none' || this.#pause !== undefined) {
      const left = deadline - performance.now();
      if (left <= 0 || this.#closed) throw waiting();
      const late = new AbortController();
      const patience = delay(left, undefined, { signal: late.signal }).catch(() => {});
      await Promise.race([this.#changed.promise, patience]).finally(() => late.abort());
    }
    if (this.#route.kind === 'own') await this.#route.process.whenReady();
    // The last step before the call: a server that stood still must not change what others have taken over.
    if (!this.#mayCall()) throw waiting();
  }

  async #firstReady(): Promise<void> {
    while (this.#route.kind === 'none') await this.#changed.promise;
    if (this.#route.kind === 'own') await this.#route.process.ready;
  }
}

function waiting(): GitError {
  return new GitError('unavailable', 'No server has the shard of the repository now.');
}

/** Passes bytes between two connections until one of them ends; what is under way then still arrives. */
function join(one: Socket, other: Socket): void {
  // Each pipeline listens several times for the end of both.
  for (const socket of [one, other]) socket.setMaxListeners(20);
  pipeline(one, other, () => {});
  pipeline(other, one, () => {});
}
