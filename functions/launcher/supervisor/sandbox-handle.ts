import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';

import type { Sandbox, Program, RunningProgram } from '../launcher.ts';
import type { EndedProgram, LauncherConnection } from './launcher-connection.ts';

/** A sandbox, in the API process: it calls the launcher process for everything, but connections and output arrive directly. */
export class SandboxHandle implements Sandbox {
  readonly #launcher: LauncherConnection;
  readonly #id: string;
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  /** Connections that the launcher is checking now. */
  #checksInProgress = 0;
  #takeListenerOff: (() => void) | undefined;

  constructor(launcher: LauncherConnection, id: string) {
    this.#launcher = launcher;
    this.#id = id;
  }

  async start(spec: Program): Promise<RunningProgram> {
    const launcher = this.#launcher;
    const { program, ended } = launcher.expectProgram();
    try {
      await launcher.ask({ do: 'start', sandbox: this.#id, program, spec });
    } catch (error) {
      launcher.forgetProgram(program);
      throw error;
    }
    return new RemoteProgram(launcher, program, ended);
  }

  async listenOnLoopback(onConnection: (socket: Socket) => void): Promise<string> {
    const { listener } = await this.#launcher.ask({ do: 'listen', sandbox: this.#id });
    const server = listener ?? (await sharedListener());
    this.#servers.push(server);
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      if (listener) onConnection(socket);
      else this.#accept(socket, onConnection).catch(() => socket.destroy());
    });
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('A port was expected.');
    return `${address.address}:${address.port}`;
  }

  async serveOnLoopback(onConnection: (socket: Socket) => void): Promise<boolean> {
    const { listener } = await this.#launcher.ask({ do: 'serve', sandbox: this.#id });
    if (!listener) return false;
    this.#servers.push(listener);
    listener.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      onConnection(socket);
    });
    return true;
  }

  /** On a shared loopback, accepts only connections of this sandbox's programs. */
  async #accept(socket: Socket, onConnection: (socket: Socket) => void): Promise<void> {
    socket.on('error', ignore);
    const accepted = this.#checksInProgress < checksMax && (await this.#isOfOurs(socket));
    socket.off('error', ignore);
    if (accepted && !socket.destroyed) onConnection(socket);
    else socket.on('error', ignore).destroy();
  }

  async #isOfOurs(socket: Socket): Promise<boolean> {
    const { localAddress, localPort, remoteAddress, remotePort } = socket;
    if (!localAddress || !localPort || !remoteAddress || !remotePort) return false;
    const ours = { address: localAddress, port: localPort };
    const connection = { ...ours, peerAddress: remoteAddress, peerPort: remotePort };
    this.#checksInProgress += 1;
    try {
      const { owners } = await this.#launcher.ask({ do: 'owners', connections: [connection] });
      const [owner] = owners ?? [];
      return owner?.kind === 'sandbox' && owner.id === this.#id;
    } catch {
      // The launcher has ended, and the program with it.
      return false;
    } finally {
      this.#checksInProgress -= 1;
    }
  }

  async connectToLoopback(port: number): Promise<Socket> {
    const { connection } = await this.#launcher.ask({ do: 'connect', sandbox: this.#id, port });
    const socket = connection ?? (await connected(port));
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }

  onLost(listener: () => void): void {
    this.#takeListenerOff = this.#launcher.onDeath(() => listener());
  }

  async close(): Promise<void> {
    this.#takeListenerOff?.();
    for (const server of this.#servers.splice(0)) server.close();
    for (const socket of this.#sockets) socket.destroy();
    // The sandbox ended with its launcher.
    if (!this.#launcher.alive) return;
    try {
      await this.#launcher.ask({ do: 'close', sandbox: this.#id });
    } catch (error) {
      if (this.#launcher.alive) throw error;
    }
  }
}

class RemoteProgram implements RunningProgram {
  readonly ended: RunningProgram['ended'];
  readonly #launcher: LauncherConnection;
  readonly #number: number;
  /** The peak of its memory as reported at its end. */
  #peakAtEnd: number | undefined;

  constructor(launcher: LauncherConnection, number: number, ended: Promise<EndedProgram>) {
    this.#launcher = launcher;
    this.#number = number;
    this.ended = ended.then(({ end, peakMemory }) => {
      this.#peakAtEnd = peakMemory;
      return end;
    });
  }

  async kill(): Promise<void> {
    try {
      await this.#launcher.ask({ do: 'kill', program: this.#number });
    } catch (error) {
      // The launcher's own end has ended the program as well.
      if (this.#launcher.alive) throw error;
    }
    await this.ended;
  }

  terminate(): void {
    this.#request('terminate');
  }

  throttle(): void {
    this.#request('throttle');
  }

  /** Without waiting: if the launcher has died, its programs have ended. */
  #request(what: 'terminate' | 'throttle'): void {
    this.#launcher.ask({ do: what, program: this.#number }).catch(() => {});
  }

  async peakMemory(): Promise<number> {
    if (this.#peakAtEnd !== undefined) return this.#peakAtEnd;
    const { value } = await this.#launcher.ask({ do: 'peak', program: this.#number });
    // It may have ended meanwhile; the launcher then no longer knows it.
    return this.#peakAtEnd ?? value ?? 0;
  }
}

function ignore(): void {}

/**
 * Connections to a Runtime API on a shared loopback that wait for the answer who made them; more are closed: a client that only
 * connects must not overload the launcher.
 */
const checksMax = 64;

async function connected(port: number): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port });
  await once(socket, 'connect');
  return socket;
}

/** Without a network namespace of its own, the program shares our loopback. */
async function sharedListener(): Promise<Server> {
  const server = createServer();
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  return server;
}
