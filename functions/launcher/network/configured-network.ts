/** A network that reaches only the configured targets: each name resolves to a loopback address, and we forward from there. */
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

/** Connections of one environment to what is declared: each takes two descriptors of the launcher. */
const connectionsMax = 256;
/** Time that such a connection lasts while nothing is sent on it, as on AWS. */
const idleMilliseconds = 350_000;

/** Listens for every target inside the namespace, and forwards each connection to the configured address. */
export async function forwardConfigured(
  namespace: Pick<NetworkNamespace, 'listen'>,
  targets: readonly NetworkTarget[],
): Promise<Server[]> {
  const addresses = configuredAddresses(targets);
  const open = new Set<Socket>();
  const listening = await Promise.allSettled(
    targets.map(async ({ name, port, forwardTo }) => {
      const address = addresses.find((configured) => configured.name === name)?.address ?? '';
      const server = await namespace.listen(address, port);
      server.on('connection', (incoming: Socket) => {
        if (open.size >= connectionsMax) {
          incoming.destroy();
          return;
        }
        open.add(incoming);
        incoming.once('close', () => open.delete(incoming));
        forward(incoming, forwardTo);
      });
      return server;
    }),
  );
  const servers = listening.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
  const failed = listening.find((end) => end.status === 'rejected');
  if (!failed) return servers;
  for (const server of servers) server.close();
  throw failed.reason;
}

function forward(incoming: Socket, forwardTo: string): void {
  const [, host = '', port = ''] = /^\[?(.*?)\]?:(\d+)$/.exec(forwardTo) ?? [];
  const outside = connect({ host, port: Number(port) });
  for (const socket of [incoming, outside]) {
    socket.setTimeout(idleMilliseconds, () => socket.destroy());
  }
  // A broken connection on one side ends the other; the program that opened it sees the error.
  pipeline(incoming, outside, () => {});
  pipeline(outside, incoming, () => {});
}
