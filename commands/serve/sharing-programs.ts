import type { IncomingMessage } from 'node:http';
import type { Server, Socket } from 'node:net';
import { networkInterfaces } from 'node:os';

import { within } from '#functions/environments/within.ts';
import type { LoopbackConnection, PeerOwner } from '#functions/launcher/launcher.ts';
import type { SharingProgram } from '#functions/ports/sandbox-server.ts';
import { inBackground } from '#platform/in-background.ts';

import { connectionKey } from './connections.ts';
import { continueChain } from './continue-chain.ts';
import { interceptConnections } from './intercept-connections.ts';

/**
 * The programs of functions that share the network of the host. They reach the server's port like any program, and their requests
 * continue their chains of requests all the same: otherwise a function that pushes on every push would never end. The kernel
 * says whose a connection is, so no other client is taken for a function.
 */
export class SharingPrograms {
  readonly #programs = new Map<string, SharingProgram>();
  /** By their addresses, because requests over TLS have another socket. */
  readonly #connections = new Map<string, { readonly program: SharingProgram }>();
  readonly #waiting: {
    readonly connection: LoopbackConnection;
    readonly resolve: (owner: PeerOwner) => void;
  }[] = [];
  readonly #patience: number;
  #isAsking = false;

  constructor(patienceMilliseconds = 4000) {
    this.#patience = patienceMilliseconds;
  }

  /** Returns what removes it. */
  add(program: SharingProgram): () => void {
    this.#programs.set(program.id, program);
    return () => this.#programs.delete(program.id);
  }

  /** While there are such programs, connections of this machine wait until it is known whose they are. */
  guard(server: Server): void {
    interceptConnections(server, (socket, pass) => {
      const connection = this.#programs.size === 0 ? undefined : withinThisMachine(socket);
      if (connection) inBackground(this.#identify(socket, connection, pass));
      else pass();
    });
  }

  /** Called for each request, before the services get it. */
  prepare(request: IncomingMessage): void {
    if (this.#connections.size === 0) return;
    const known = this.#connections.get(connectionKey(request.socket));
    if (known) continueChain(request, known.program.lineage());
  }

  async #identify(socket: Socket, connection: LoopbackConnection, pass: () => void): Promise<void> {
    socket.on('error', ignore);
    const owner = await new Promise<PeerOwner>((resolve) => {
      this.#waiting.push({ connection, resolve });
      if (!this.#isAsking) inBackground(this.#ask());
    });
    // Its requests could not be assigned any more, and nothing awaits their responses.
    if (owner.kind === 'closed') socket.destroy();
    if (socket.destroyed) return;
    socket.off('error', ignore);
    const program = owner.kind === 'sandbox' ? this.#programs.get(owner.id) : undefined;
    if (program) {
      const addresses = connectionKey(socket);
      const known = { program };
      this.#connections.set(addresses, known);
      socket.once('close', () => {
        // A program may connect from its port again before the end of the first connection is noticed here.
        if (this.#connections.get(addresses) === known) this.#connections.delete(addresses);
      });
    }
    pass();
  }

  /** One question at a time, about all connections that wait: each reads the kernel's list of all sockets. */
  async #ask(): Promise<void> {
    this.#isAsking = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0);
      const [first] = this.#programs.values();
      const asked = first?.ownersOf(batch.map(({ connection }) => connection));
      // Without a launcher process there are no programs, and while it hangs others are not to wait for it.
      const owners = asked && (await within(this.#patience, asked).catch(() => []));
      for (const [index, { resolve }] of batch.entries()) {
        resolve(owners?.[index] ?? { kind: 'other' });
      }
    }
    this.#isAsking = false;
  }
}

/** Undefined when the client is on another machine. */
function withinThisMachine(socket: Socket): LoopbackConnection | undefined {
  const { localAddress, localPort, remoteAddress, remotePort } = socket;
  if (!localAddress || !localPort || !remoteAddress || !remotePort) return undefined;
  const connection = {
    address: localAddress,
    port: localPort,
    peerAddress: remoteAddress,
    peerPort: remotePort,
  };
  const peer = remoteAddress.replace(/^::ffff:(?=\d+\.)/i, '');
  const isOurs =
    peer.startsWith('127.') ||
    Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === peer));
  return isOurs ? connection : undefined;
}

function ignore(): void {}
