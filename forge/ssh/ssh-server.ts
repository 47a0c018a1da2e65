import type { Socket } from 'node:net';

import { clientOf, isListed } from '#platform/client-address.ts';

import type { SshPort, SshServer } from '../ports/ssh-port.ts';
import { type ConnectionParts, SshConnection } from './ssh-connection.ts';

/** Connections of SSH. */
const connectionsMax = 512;
/** Connections of SSH of one address or IPv6 network; loopback and trusted proxies are not counted. */
const connectionsOfOneMax = 64;
/** Connections of SSH that have not signed in: each costs a key exchange. */
const unknownMax = 100;
/** Connections of SSH of one address or IPv6 network that have not signed in. */
const unknownOfOneMax = 20;

interface Open {
  readonly connection: SshConnection;
  readonly socket: Socket;
  /** Undefined: not counted by address. */
  readonly client: string | undefined;
}

/** Git over SSH: the same rights, limits and pushes as over HTTP (git-http/). */
export function createSshServer(
  parts: Omit<ConnectionParts, 'hostKeys' | 'commandEnded'>,
  port: SshPort,
): SshServer {
  const open = new Set<Open>();
  const { hostKeys } = port;
  const connectionParts: ConnectionParts = {
    ...parts,
    hostKeys,
    commandEnded: (command) => port.commandEnded(command),
  };

  /** Why a connection is not served. */
  function refusalOf(client: string | undefined): string | undefined {
    const all = [...open];
    const unknown = all.filter(({ connection }) => !connection.isSignedIn);
    const ofOne = (list: readonly Open[]): number =>
      client === undefined ? 0 : list.filter((each) => each.client === client).length;
    const many =
      all.length >= connectionsMax ||
      unknown.length >= unknownMax ||
      ofOne(all) >= connectionsOfOneMax ||
      ofOne(unknown) >= unknownOfOneMax;
    return many ? 'Too many connections.' : undefined;
  }

  return {
    accept(socket) {
      // A connection may be reset at any time; ssh2 also listens.
      socket.on('error', () => socket.destroy());
      const address = socket.remoteAddress?.replace(/%.*$/, '');
      if (address === undefined) {
        socket.destroy();
        return;
      }
      const client = isListed(port.sharedAddresses, address) ? undefined : clientOf(address);
      const refusal = refusalOf(client);
      if (refusal !== undefined) {
        // Lines before the version string are shown by some clients (RFC 4253, section 4.2).
        socket.end(`${refusal} Try again later.\r\n`, () => socket.destroy());
        return;
      }
      const entry = { connection: new SshConnection(socket, connectionParts), socket, client };
      open.add(entry);
      socket.once('close', () => open.delete(entry));
    },
    async close(drainMilliseconds) {
      const sockets = [...open].map(({ socket }) => socket);
      const closed = sockets.map(
        (socket) =>
          new Promise<void>((resolve) => {
            if (socket.closed) resolve();
            else socket.once('close', () => resolve());
          }),
      );
      for (const { connection } of open) connection.stop();
      const deadline = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, drainMilliseconds);
      await Promise.all(closed);
      clearTimeout(deadline);
    },
  };
}
