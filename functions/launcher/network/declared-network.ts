/** A network that reaches what is declared and nothing else: each name is a loopback address, and we carry on from there. */
import { connect } from 'node:net';
import type { Server, Socket } from 'node:net';
import { pipeline } from 'node:stream';

import type { NetworkTarget } from '../launcher.ts';
import type { NetworkNamespace } from './network-namespace.ts';

export interface ConfiguredAddress {
  readonly name: string;
  readonly address: string;
}

/** One address for each name: two names may have the same port. */
export function configuredAddresses(targets: readonly NetworkTarget[]): ConfiguredAddress[] {
  const names = [...new Set(targets.map(({ name }) => name))];
  return names.map((name, index) => ({
    name,
    address: `127.0.${1 + Math.floor(index / 250)}.${1 + (index % 250)}`,
  }));
}

/** Connections of one environment at a time: each takes two descriptors of the launcher. */
const connectionsMax = 256;
/** As long as the vendor's networks keep a connection on which nothing is sent. */
const idleMilliseconds = 350_000;

/** Listens for every target inside, and carries each connection to where it is declared to end. */
export function forwardConfigured(
  namespace: Pick<NetworkNamespace, 'listen'>,
  targets: readonly NetworkTarget[],
): Promise<Server[]> {
  const addresses = configuredAddresses(targets);
  const open = new Set<Socket>();
  return Promise.all(
    targets.map(async ({ name, port, forwardTo }) => {
      const address = addresses.find((configured) => configured.name === name)?.address ?? '';
      const server = await namespace.listen(address, port);
      server.on('connection', (inside: Socket) => {
        if (open.size >= connectionsMax) {
          inside.destroy();
          return;
        }
        open.add(inside);
        inside.once('close', () => open.delete(inside));
        carry(inside, forwardTo);
      });
      return server;
    }),
  );
}

function carry(inside: Socket, forwardTo: string): void {
  const [, host = '', port = ''] = /^\[?(.*?)\]?:(\d+)$/.exec(forwardTo) ?? [];
  const outside = connect({ host, port: Number(port) });
  for (const socket of [inside, outside]) {
    socket.setTimeout(idleMilliseconds, () => socket.destroy());
  }
  // A broken connection on one side ends the other; who made it sees it.
  pipeline(inside, outside, () => {});
  pipeline(outside, inside, () => {});
}
