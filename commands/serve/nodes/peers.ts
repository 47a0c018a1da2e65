import { lookup } from 'node:dns/promises';
import { type AddressInfo, isIP } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, createServer, type Server, type TLSSocket } from 'node:tls';

import type { ServiceKey } from '#functions/keys/service-key.ts';
import { errorCode } from '#platform/error-code.ts';
import type { Log } from '#platform/log.ts';
import { OperatorError } from '#platform/operator-error.ts';
import { systemRandom } from '#platform/random.ts';

import type { Node } from './nodes.ts';

/** What a connection between two nodes is for, as TLS names it (RFC 7301). */
export const peerProtocols = ['http/1.1', 'hob-git', 'hob-git-shard', 'hob-node'] as const;
export type PeerProtocol = (typeof peerProtocols)[number];

export interface PeerListener {
  /** With the port that the system chose where it was 0. */
  readonly address: string;
  close(): Promise<void>;
}

export type PeerKeys = Pick<ServiceKey, 'derive' | 'deriveFrom'>;

interface ListenOptions {
  /** `host:port`. */
  readonly address: string;
  readonly keys: PeerKeys;
  /** Gets each connection of a node that has the key, with that node's server id. */
  readonly accept: Readonly<Record<PeerProtocol, (socket: TLSSocket, from: string) => void>>;
  readonly log: Pick<Log, 'info'>;
  readonly handshakeMilliseconds?: number;
  readonly lookUp?: LookUp;
  readonly retryMilliseconds?: number;
}

/** The addresses of a host. */
type LookUp = (host: string) => Promise<readonly { readonly address: string }[]>;

/**
 * All nodes have the service key, so a key derived from it authenticates both ends. The one version of TLS in which Node supports keys
 * without certificates (RFC 4279, RFC 5489); the exchange is ephemeral, so a key that leaks later does not open what was recorded.
 */
const security = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305:ECDHE-PSK-AES128-CBC-SHA256',
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
} as const;

const purpose = 'connections between nodes';
/** Time for the handshake of a connection between nodes. */
const handshakeMillisecondsDefault = 5000;
/**
 * Connections of other nodes to a node, at each of its addresses; those without a key count, too, and end with their handshake.
 */
const connectionsMax = 4096;
/**
 * Silence of a connection between nodes after which it is probed. Where a node is gone without a word, the system notices by
 * probes.
 */
const keepAliveMilliseconds = 5000;

/**
 * Attempts to listen for other nodes while the name of `--node-address` is not known yet, or leads to the address of a former
 * machine: that of a container is known some seconds after its start.
 */
const listenAttemptsMax = 40;
/** Pause between two attempts to listen for other nodes. */
const retryMillisecondsDefault = 500;
/** Attempts after which the log says again what is waited for. */
const attemptsPerLine = 10;
const passingCodes: ReadonlySet<string | undefined> = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'EADDRNOTAVAIL',
]);

/** Listens for other nodes, at every address of the host. Who lacks the key learns nothing. */
export async function listenForPeers(options: ListenOptions): Promise<PeerListener> {
  const { address, log, retryMilliseconds = retryMillisecondsDefault } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await listenOnce(options);
    } catch (error) {
      const code = error instanceof OperatorError ? errorCode(error.cause) : undefined;
      const mayPass = passingCodes.has(code) && isIP(parseAddress(address).host) === 0;
      if (!mayPass || attempt === listenAttemptsMax) throw error;
      if (attempt % attemptsPerLine === 1)
        log.info(
          { address, code },
          'waiting for the host of --node-address to lead to this machine',
        );
      await delay(retryMilliseconds);
    }
  }
}

async function listenOnce(options: ListenOptions): Promise<PeerListener> {
  const { host, port } = parseAddress(options.address);
  const addresses = await addressesOf(host, options);
  const servers: Server[] = [];
  let chosen = port;
  try {
    for (const address of addresses) {
      const server = peerServer(options);
      servers.push(server);
      chosen = await opened(server, address, chosen, options.address);
    }
  } catch (error) {
    for (const server of servers) server.close();
    throw error;
  }
  return {
    address: `${host.includes(':') ? `[${host}]` : host}:${chosen}`,
    async close() {
      for (const server of servers) server.close();
    },
  };
}

/** Connects to another node. The caller listens for errors, of the handshake as well. */
export function dialPeer(
  keys: PeerKeys,
  self: string,
  { address }: Pick<Node, 'address'>,
  protocol: PeerProtocol,
): TLSSocket {
  const { host, port } = parseAddress(address);
  const { name, key } = keys.derive(purpose);
  const socket = connect({
    ...security,
    host,
    port,
    ALPNProtocols: [protocol],
    pskCallback: () => ({ identity: `${name} ${self}`, psk: key }),
    // Both ends prove that they have the key; there is no certificate.
    checkServerIdentity: () => undefined,
  });
  const deadline = setTimeout(
    () => socket.destroy(new Error(`The node at ${address} does not answer.`)),
    handshakeMillisecondsDefault,
  );
  socket.once('close', () => clearTimeout(deadline));
  socket.once('secureConnect', () => {
    clearTimeout(deadline);
    socket.setKeepAlive(true, keepAliveMilliseconds);
    socket.setNoDelay(true);
    if (socket.alpnProtocol !== protocol)
      socket.destroy(new Error(`The node at ${address} does not speak ${protocol}.`));
  });
  return socket;
}

function peerServer({ keys, accept, handshakeMilliseconds }: ListenOptions): Server {
  const identities = new WeakMap<TLSSocket, string>();
  const server = createServer({
    ...security,
    ALPNProtocols: [...peerProtocols],
    handshakeTimeout: handshakeMilliseconds ?? handshakeMillisecondsDefault,
    pskCallback(socket, identity) {
      const [name = '', from = ''] = identity.split(' ');
      identities.set(socket, from);
      // A wrong name fails as a wrong key does.
      return keys.deriveFrom(name, purpose) ?? systemRandom.bytes(32);
    },
  });
  server.maxConnections = connectionsMax;
  server.on('secureConnection', (socket) => {
    const protocol = peerProtocols.find((name) => name === socket.alpnProtocol);
    const from = identities.get(socket);
    socket.on('error', () => socket.destroy());
    if (protocol === undefined || from === undefined) {
      socket.destroy();
      return;
    }
    socket.setKeepAlive(true, keepAliveMilliseconds);
    socket.setNoDelay(true);
    accept[protocol](socket, from);
  });
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return server;
}

export function parseAddress(address: string): { readonly host: string; readonly port: number } {
  const at = address.lastIndexOf(':');
  const host = address.slice(0, at).replace(/^\[(.*)\]$/, '$1');
  return { host, port: Number(address.slice(at + 1)) };
}

async function addressesOf(
  host: string,
  { address: shown, lookUp = (name) => lookup(name, { all: true }) }: ListenOptions,
): Promise<readonly string[]> {
  try {
    const found = await lookUp(host);
    return [...new Set(found.map(({ address }) => address))];
  } catch (cause) {
    throw new OperatorError(
      `The host of --node-address ${shown} is not known. Use an address of this machine at which the other nodes reach it.`,
      { cause },
    );
  }
}

function opened(server: Server, host: string, port: number, shown: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new OperatorError(
          `Cannot listen for other nodes at ${shown}: ${cause.message}. Choose an address and a free port of this machine with --node-address.`,
          { cause },
        ),
      ),
    );
    server.listen(port, host, () => resolve(portOf(server.address())));
  });
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('not a TCP port');
  return address.port;
}
