import { Socket } from 'node:net';

import postgres, { type Options, type PostgresType, type Sql as Client } from 'postgres';

/** A client of the driver with one connection. */
export interface PostgresClient {
  readonly client: Pick<Client, 'unsafe' | 'end'>;
  /** Drops the connection without waiting for the server, which may not answer any more. */
  destroy(): void;
}

/** What the driver passes to its `socket` option: the addresses of the URL. */
interface DriverAddress {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path: string | false;
}

/**
 * Opens one connection, and tries each address of the URL once. The driver (postgres 3.4.9) alone would connect again and again, without
 * a pause or an end, while something accepts its connections and closes them, as a proxy without its server does. When it ends it waits
 * for the other side to close. So the socket is made here, by the driver's `socket` option.
 */
export function openPostgresClient(
  url: string,
  options: Options<Record<string, PostgresType>>,
  onclose: () => void,
): PostgresClient {
  let current: Socket | undefined;
  let attempts = 0;
  let destroyed = false;

  function socket({ host, port, path }: DriverAddress): Socket {
    const attempt = attempts;
    attempts += 1;
    if (destroyed || attempt >= (path === false ? host.length : 1)) {
      onclose();
      const error = new Error('The database server closed the connection before it was ready.');
      throw Object.assign(error, { code: 'CONNECTION_CLOSED' });
    }
    current = new Socket();
    if (path !== false) return current.connect(path);
    const address = { host: host[attempt] ?? 'localhost', port: port[attempt] ?? 5432 };
    // The driver reads the name that a certificate must have here.
    return Object.assign(current.connect(address.port, address.host), address);
  }

  const own = { max: 1, onclose, socket };
  return {
    client: postgres(url, { ...options, ...own }),
    destroy() {
      destroyed = true;
      current?.destroy();
    },
  };
}
