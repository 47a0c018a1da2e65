import type { IncomingMessage, ServerResponse } from 'node:http';
import { BlockList, type Server, type Socket } from 'node:net';

import { clientOf, familyOf, isListed } from '#platform/client-address.ts';

import { closeWithRefusal } from './connection-errors.ts';
import { interceptConnections } from './intercept-connections.ts';
import { bytesSent, bytesUnsent } from './socket-progress.ts';

/** What one client, and all of them together, may hold of the server. */
export interface ConnectionLimits {
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number;
  /** Addresses behind which there are many clients: theirs are bounded by the first number alone. */
  readonly sharedAddresses: BlockList;
  /** Of a body that is being sent, or an answer that is being read; 0: any rate. */
  readonly bytesPerSecondMin: number;
  /** How long a client may send, or read, nothing at all. */
  readonly graceMilliseconds: number;
  /** Of answers that wait in memory for their readers, all together: beyond it the slowest are ended. */
  readonly unsentBytesMax: number;
  readonly sweepMilliseconds: number;
}

/**
 * Time in which a client may fall behind the rate of `HOB_MIN_TRANSFER_RATE`, or pause; and responses that wait in memory for
 * their readers, all together, beyond which the slowest readers are ended. Settings say the rest.
 */
export const connectionLimits: ConnectionLimits = {
  connectionsMax: Infinity,
  connectionsPerAddressMax: Infinity,
  sharedAddresses: sharedAddressesOf([]),
  bytesPerSecondMin: 0,
  graceMilliseconds: 20_000,
  unsentBytesMax: 256 * 2 ** 20,
  sweepMilliseconds: 1000,
};

/** Loopback, where a proxy or the operator is, and proxies that are trusted. */
export function sharedAddressesOf(trustedProxies: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of ['127.0.0.0/8', '::1', ...trustedProxies]) {
    const [address = '', bits] = network.split('/');
    const family = familyOf(address);
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/**
 * Bounds connections, and ends those whose client neither completes its request nor reads the response. Node has
 * limits for heads and for idle connections only: a body may be a push of gigabytes over a slow line, so it is its rate that counts.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #open = new Set<Connection>();
  /** By the TCP socket, or the TLS socket that requests have. */
  readonly #bySocket = new WeakMap<Socket, Connection>();
  /** How the TCP connection of a TLS socket is found. Of a server that speaks TLS itself only: inside sandboxes, addresses are not unique. */
  readonly #byAddresses = new Map<string, Connection>();
  readonly #perAddress = new Map<string, number>();
  #refused = 0;
  #sweptAt = performance.now();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** Looks at every connection of the server before it does, for as long as the server listens. */
  guard(server: Server & { closeIdleConnections(): void }, speaksPlain: boolean): void {
    interceptConnections(server, (socket, pass) => {
      const { remoteAddress } = socket;
      // It was reset before it was accepted: its request has no client, and nothing can be answered.
      if (remoteAddress === undefined) {
        socket.destroy();
        return;
      }
      const refusal = this.#add(socket, remoteAddress, speaksPlain);
      if (refusal === undefined) {
        pass();
        return;
      }
      if (refusal.allClients) server.closeIdleConnections();
      if (speaksPlain && this.#refused < refusedMax) this.#refuse(socket, refusal);
      else socket.destroy();
    });
    const timer = setInterval(() => this.#sweep(), this.#limits.sweepMilliseconds).unref();
    server.once('close', () => clearInterval(timer));
  }

  /**
   * From now on the connection is held against what this request needs of its client. False for a request that is not to be answered:
   * Node parses all that one chunk of a socket pipelines at once, and thousands of them would block everyone else for seconds. A
   * connection may end after any response; clients send the rest again (RFC 9112 section 9.3.2).
   */
  serve(request: IncomingMessage, response: ServerResponse): boolean {
    const connection = this.#connectionOf(request.socket);
    if (!connection) return true;
    const isPipelined = connection.exchange?.response.writableFinished === false;
    connection.pipelined = isPipelined ? connection.pipelined + 1 : 0;
    if (connection.pipelined > pipelinedMax) {
      request.socket.pause();
      return false;
    }
    if (connection.pipelined === pipelinedMax) response.setHeader('connection', 'close');
    connection.exchange = { request, response };
    return true;
  }

  /** The answer that is under way on a connection. */
  answerOn(socket: Socket): ServerResponse | undefined {
    return this.#connectionOf(socket)?.exchange?.response;
  }

  /** By the addresses for the first request of a TLS socket only: they cost 2 us. */
  #connectionOf(socket: Socket): Connection | undefined {
    const known = this.#bySocket.get(socket);
    if (known) return known;
    const connection = this.#byAddresses.get(connectionKey(socket));
    if (connection) this.#bySocket.set(socket, connection);
    return connection;
  }

  #add(socket: Socket, remoteAddress: string, speaksPlain: boolean): Refusal | undefined {
    const { connectionsMax, connectionsPerAddressMax, sharedAddresses } = this.#limits;
    // Without its zone.
    const address = remoteAddress.replace(/%.*$/, '');
    if (this.#open.size >= connectionsMax) return tooManyOfAll;
    const counted = isListed(sharedAddresses, address) ? undefined : clientOf(address);
    const others = counted === undefined ? 0 : (this.#perAddress.get(counted) ?? 0);
    if (others >= connectionsPerAddressMax) return tooManyOfOne;
    const connection: Connection = {
      socket,
      exchange: undefined,
      pipelined: 0,
      received: 0,
      sent: 0,
      credit: this.#limits.graceMilliseconds,
    };
    this.#open.add(connection);
    this.#bySocket.set(socket, connection);
    const addresses = speaksPlain ? undefined : connectionKey(socket);
    if (addresses !== undefined) this.#byAddresses.set(addresses, connection);
    if (counted !== undefined) this.#perAddress.set(counted, others + 1);
    socket.once('close', () => {
      this.#open.delete(connection);
      if (addresses !== undefined) this.#byAddresses.delete(addresses);
      if (counted === undefined) return;
      const left = (this.#perAddress.get(counted) ?? 1) - 1;
      if (left === 0) this.#perAddress.delete(counted);
      else this.#perAddress.set(counted, left);
    });
    return undefined;
  }

  #refuse(socket: Socket, { status, message }: Refusal): void {
    this.#refused += 1;
    socket.once('close', () => {
      this.#refused -= 1;
    });
    socket.on('error', () => socket.destroy());
    closeWithRefusal(socket, status, message);
  }

  /** Each connection has a credit of time, which passing time uses up and bytes earn again. */
  #sweep(): void {
    const { bytesPerSecondMin, graceMilliseconds, sweepMilliseconds } = this.#limits;
    const now = performance.now();
    // While this process was blocked, it could not read from any client.
    const passed = Math.min(now - this.#sweptAt, 2 * sweepMilliseconds);
    this.#sweptAt = now;
    const readers: Reader[] = [];
    for (const connection of this.#open) {
      const { socket, exchange } = connection;
      const waited = whatIsWaitedFor(connection);
      // What TLS adds to each piece is not of the body.
      const received = (exchange?.request.socket.bytesRead ?? 0) - connection.received;
      const sent = bytesSent(socket) - connection.sent;
      connection.received += received;
      connection.sent += sent;
      if (waited === 'reader') readers.push({ connection, sent });
      if (waited === 'nothing') {
        connection.credit = graceMilliseconds;
        continue;
      }
      if (bytesPerSecondMin === 0) continue;
      const earned = ((waited === 'body' ? received : sent) * 1000) / bytesPerSecondMin;
      connection.credit = Math.min(graceMilliseconds, connection.credit - passed + earned);
      if (connection.credit <= 0) end(connection);
    }
    this.#evictIdle(readers);
  }

  /** An answer can be as large as a file: many that are read slowly, each fast enough, hold more than there is. */
  #evictIdle(readers: readonly Reader[]): void {
    const unsent = (reader: Reader): number => bytesUnsent(reader.connection.socket);
    let total = readers.reduce((sum, reader) => sum + unsent(reader), 0);
    if (total <= this.#limits.unsentBytesMax) return;
    for (const reader of readers.toSorted((one, other) => one.sent - other.sent)) {
      if (total <= this.#limits.unsentBytesMax) return;
      total -= unsent(reader);
      end(reader.connection);
    }
  }
}

interface Connection {
  /** The TCP connection; under TLS another object than that of requests. */
  readonly socket: Socket;
  /** The latest on it. */
  exchange: Exchange | undefined;
  /** Requests in a row that came before the response to the one before was sent. */
  pipelined: number;
  /** Bytes until the last sweep. */
  received: number;
  sent: number;
  /** Milliseconds. */
  credit: number;
}

interface Reader {
  readonly connection: Connection;
  /** Bytes since the sweep before. */
  readonly sent: number;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Refusal {
  readonly status: string;
  readonly message: string;
  readonly allClients: boolean;
}

/**
 * Requests that a client may send on a connection before it has the response to an earlier one; after the response to the last,
 * the connection ends.
 */
const pipelinedMax = 4;

/** Refused connections that get the reason at the same time; more are closed without a response. */
const refusedMax = 100;

const tooManyOfAll: Refusal = {
  status: '503 Service Unavailable',
  message: 'The server has reached its connection limit. Try again later.',
  allClients: true,
};

const tooManyOfOne: Refusal = {
  status: '429 Too Many Requests',
  message: 'Too many open connections from this address. Close or reuse connections.',
  allClients: false,
};

/** Time in which we ourselves do not take more, or have nothing to send, is not the client's. */
function whatIsWaitedFor({ socket, exchange }: Connection): 'body' | 'reader' | 'nothing' {
  if (bytesUnsent(socket) > 0) return 'reader';
  if (!exchange || exchange.request.complete) return 'nothing';
  const { readableLength, readableHighWaterMark } = exchange.request;
  return readableLength < readableHighWaterMark ? 'body' : 'nothing';
}

function end({ socket, exchange }: Connection): void {
  if (exchange && !exchange.request.complete && !exchange.response.headersSent) {
    const message = 'The request body arrived too slowly.';
    closeWithRefusal(exchange.request.socket, '408 Request Timeout', message);
    return;
  }
  // What the client has not read would stay in the kernel until it does.
  socket.resetAndDestroy();
}

/** The same for both objects that a connection has under TLS. */
export function connectionKey({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}
