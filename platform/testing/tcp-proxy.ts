import { once } from 'node:events';
import { createServer, type NetConnectOpts, Socket } from 'node:net';

/** What the proxy does with connections, the open ones included: `closing` accepts and closes them, `silent` sends nothing on. */
type Mode = 'forwarding' | 'closing' | 'silent';

export interface TcpProxy {
  readonly port: number;
  set(mode: Mode): void;
  /** Closes a connection instead of passing on bytes of its client with this text. */
  closeBefore(text: string): void;
  close(): Promise<void>;
}

/** Listens on a free port of the loopback and connects clients with `target`. */
export async function startTcpProxy(
  target: NetConnectOpts,
  initial: Mode = 'forwarding',
): Promise<TcpProxy> {
  let mode = initial;
  let last: string | undefined;
  const pairs = new Set<readonly [Socket, Socket]>();

  function apply([client, upstream]: readonly [Socket, Socket]): void {
    if (mode === 'closing') client.destroy();
    if (mode !== 'forwarding') return void [client, upstream].map((socket) => socket.pause());
    if (upstream.pending && !upstream.connecting) upstream.connect(target);
    client.resume();
    upstream.resume();
  }

  const server = createServer((client) => {
    const pair = [client, new Socket()] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, pair.toReversed()]) {
      from?.on('data', (bytes) => {
        if (from === client && last !== undefined && bytes.includes(last)) client.destroy();
        else to?.write(bytes);
      });
      from?.on('error', () => {});
      from?.on('close', () => {
        pairs.delete(pair);
        to?.destroy();
      });
    }
    apply(pair);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('The proxy does not listen.');
  return {
    port: address.port,
    set(next) {
      mode = next;
      for (const pair of pairs) apply(pair);
    },
    closeBefore(text) {
      last = text;
    },
    async close() {
      for (const [client, upstream] of pairs) {
        client.destroy();
        upstream.destroy();
      }
      server.close();
      await once(server, 'close');
    },
  };
}
