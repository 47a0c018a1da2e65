import type { Options, PostgresType } from 'postgres';

import type { Log } from '../log.ts';
import { OperatorError } from '../operator-error.ts';

/** Where a PostgreSQL database is, and how its values become ours. */
export interface PostgresAddress {
  readonly url: string;
  /** For people: without the password. */
  readonly shown: string;
  readonly options: Options<Record<string, PostgresType>>;
}

/**
 * Reads a connection URL. `host=/folder` in its query names a Unix socket, as PostgreSQL's own programs have it, and
 * `sslmode` is honoured; without it the connection is not encrypted.
 */
export function postgresAddress(text: string, log?: Log): PostgresAddress {
  const url = parseUrl(text);
  const folder = url.searchParams.get('host');
  url.searchParams.delete('host');
  const shown = new URL(url);
  shown.password = '';
  return {
    url: url.href,
    shown: shown.href,
    options: {
      ...(folder === null ? {} : { path: `${folder}/.s.PGSQL.${url.port || '5432'}` }),
      types,
      fetch_types: false,
      // Seconds. A connection to a server that ends or starts may hang, and a request waits for it.
      connect_timeout: 3,
      onnotice: (notice) => log?.debug({ notice: notice['message'] }, 'database notice'),
    },
  };
}

function parseUrl(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw new OperatorError(
      'Invalid database URL: use postgres://USER:PASSWORD@HOST:PORT/DATABASE.',
    );
  }
}

const int8 = 20;
const numeric = 1700;
const boolean = 16;

/** The shared types of database.ts: numbers for integers and sums, 0 and 1 for truth, as SQLite answers. */
const types: Record<string, PostgresType> = {
  integer: { to: int8, from: [int8, numeric], parse: exactNumber, serialize: String },
  truth: {
    to: boolean,
    from: [boolean],
    parse: (text: string) => (text === 't' ? 1 : 0),
    serialize: (value: unknown) => (Number(value) === 0 ? 'f' : 't'),
  },
};

function exactNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) {
    throw new RangeError(`The database answered ${text}, which a number cannot hold exactly.`);
  }
  return number;
}
