import type { Options, PostgresType } from 'postgres';

import { isDecodable } from '../decodable.ts';
import type { Log } from '../log.ts';
import { OperatorError } from '../operator-error.ts';

/** Where a PostgreSQL database is, and how its values become ours. */
export interface PostgresAddress {
  readonly url: string;
  /** For people: without the password. */
  readonly shown: string;
  /** Of which one is the primary, and the others its standbys. */
  readonly hasSeveralHosts: boolean;
  readonly options: Options<Record<string, PostgresType>>;
}

/**
 * Reads a connection URL. `host=/folder` in its query names a Unix socket, as PostgreSQL's own programs have it, and
 * `sslmode` is honoured; without it the connection is not encrypted. Of several hosts, each may have a port (libpq, 32.1.1.2).
 */
export function postgresAddress(text: string, log?: Log): PostgresAddress {
  const { url, hosts, urls } = parseUrl(text);
  const folder = url.searchParams.get('host');
  url.searchParams.delete('host');
  const shown = new URL(url);
  shown.password = '';
  // Parameters of libpq may have secrets as well, such as `password`.
  shown.search = '';
  return {
    url: withHosts(url, hosts),
    shown: withHosts(shown, hosts),
    hasSeveralHosts: urls.length > 1,
    options: {
      ...(folder === null ? {} : { path: `${folder}/.s.PGSQL.${url.port || '5432'}` }),
      ...(hosts.includes('[') ? addressesOf(urls) : {}),
      // The driver decodes all but this.
      ...(url.pathname.length > 1 ? { database: decodeURIComponent(url.pathname.slice(1)) } : {}),
      types,
      fetch_types: false,
      // Seconds. A connection to a server that ends or starts may hang, and a request waits for it.
      connect_timeout: 3,
      onnotice: (notice) => log?.debug({ notice: notice['message'] }, 'database notice'),
    },
  };
}

/** The scheme and user, and the hosts. */
const beginning = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)/i;

/** The URL with the first host alone, since URLs of the web have one, and all of them. */
function parseUrl(text: string): {
  readonly url: URL;
  readonly hosts: string;
  /** The same for each of the hosts. */
  readonly urls: readonly URL[];
} {
  const [, before = '', hosts = ''] = beginning.exec(text) ?? [];
  const rest = text.slice(before.length + hosts.length);
  const urls = hosts.split(',').map((host) => URL.parse(before + host + rest));
  const valid = urls.filter((url) => url !== null);
  const [first, ...others] = valid;
  if (first && valid.length === urls.length && others.every(({ host }) => host !== '')) {
    // The driver throws without saying what cannot be decoded.
    if ([first.username, first.password, first.pathname, first.host].every(isDecodable))
      return { url: first, hosts, urls: valid };
    throw new OperatorError(
      'Invalid database URL: it has a % that begins no encoded character. Write %25 for a % of a user, password or database.',
    );
  }
  throw new OperatorError(
    'Invalid database URL: use postgres://USER:PASSWORD@HOST:PORT/DATABASE, or HOST:PORT,HOST:PORT for several hosts.',
  );
}

/**
 * The driver (postgres 3.4.9) takes the first colon of an IPv6 address in a URL for that of a port. Its options may have lists, although the
 * type of `Options` has one host.
 */
function addressesOf(urls: readonly URL[]): object {
  const [first] = urls;
  return {
    host: urls.map(({ hostname }) => hostname.replace(/^\[(.*)\]$/, '$1')),
    port: urls.map(({ port }) => Number(port || first?.port || '5432')),
  };
}

function withHosts(url: URL, hosts: string): string {
  return hosts.includes(',')
    ? url.href.replace(beginning, (_, before) => before + hosts)
    : url.href;
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
