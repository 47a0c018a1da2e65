import { Socket } from 'node:net';

import postgres, { type Options, type PostgresType, type Sql as Client } from 'postgres';

import { errorCode } from '../error-code.ts';
import { OperatorError } from '../operator-error.ts';
import type { PostgresAddress } from './postgres-options.ts';

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

  function socket(address: DriverAddress): Socket {
    const attempt = attempts;
    attempts += 1;
    if (destroyed || attempt >= addressesOf(address)) {
      onclose();
      throw closedBeforeReady();
    }
    current = connectSocket(address, attempt);
    return current;
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

/** PostgreSQL: time that the driver waits for the server when it ends a client that copies a database. */
export const endSeconds = 5;

/** PostgreSQL: connections of `hob backup` and `hob restore`, those included that are closed before they are ready. */
const copyConnectionsMax = 16;

/**
 * A client of several connections for a command that copies a database. Where something accepts and
 * closes its connections, as a proxy without its server does, it gives up after so many.
 */
export function openCopyClient(
  { url, options }: PostgresAddress,
  more: Options<Record<string, PostgresType>>,
): Client {
  let attempts = 0;
  function socket(address: DriverAddress): Socket {
    if (attempts >= copyConnectionsMax) throw closedBeforeReady();
    attempts += 1;
    return connectSocket(address, (attempts - 1) % addressesOf(address));
  }
  const own = { socket };
  return postgres(url, { ...options, ...more, ...own });
}

/** Runs what copies a database. If the server is or becomes unreachable, a message to the operator says so. */
export async function reachingDatabase<T>(
  { shown }: PostgresAddress,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // Not those of files, which a copy also reads and writes.
    const isLost = /^(ECONN|EPIPE|CONNECT|08|57P0[123]|25006)/.test(errorCode(error) ?? '');
    throw isLost ? unreachableDatabase(shown, error) : error;
  }
}

export function unreachableDatabase(shown: string, cause: unknown): OperatorError {
  const reason = reasonOf(cause);
  return new OperatorError(`Cannot use the database ${shown}: ${reason.replace(/\.$/, '')}.`, {
    cause,
  });
}

function reasonOf(cause: unknown): string {
  // So the driver reports that it ended the connection itself.
  if (errorCode(cause) === 'CONNECTION_DESTROYED') {
    return 'it is a standby, or did not accept the connection in time';
  }
  return cause instanceof Error ? cause.message : String(cause);
}

function addressesOf({ host, path }: DriverAddress): number {
  return path === false ? host.length : 1;
}

function connectSocket({ host, port, path }: DriverAddress, index: number): Socket {
  const socket = new Socket();
  if (path !== false) return socket.connect(path);
  const address = { host: host[index] ?? 'localhost', port: port[index] ?? 5432 };
  // The driver reads the name that a certificate must have here.
  return Object.assign(socket.connect(address.port, address.host), address);
}

function closedBeforeReady(): Error {
  const error = new Error('The database server closed the connection before it was ready.');
  return Object.assign(error, { code: 'CONNECTION_CLOSED' });
}

/**
 * The system's codes, the driver's, and the server's: classes 08 (connection), 28 (authorization) and 3D (database), too many
 * connections, timeouts that end a session, a server that stops, has crashed or starts, and one that has become a standby: it refuses a
 * serializable transaction (0A000) and every write (25006; PostgreSQL, Appendix A).
 */
export function isConnectionFailure(error: unknown): boolean {
  return /^(E[A-Z]+$|CONNECT|08|28|3D|53300|25P0[34]|25006|0A000|57P0)/.test(
    errorCode(error) ?? '',
  );
}
