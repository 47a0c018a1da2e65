import { CliError } from '../context/errors.ts';
import type { Retries } from '../profile/profile.ts';

/** Where requests go; the prefix ends without a slash. */
interface Endpoint {
  readonly origin: string;
  /** With the port, unless it is the scheme's own: the Host header and what is signed. */
  readonly host: string;
  readonly prefix: string;
}

/** The configured endpoint, else the endpoint of AWS in the region. */
export function readEndpoint(url: string | undefined, region: string): Endpoint {
  const text = url ?? `https://lambda.${region}.amazonaws.com`;
  const parsed = URL.parse(text);
  if (!parsed || !/^https?:$/.test(parsed.protocol) || !hostName.test(parsed.hostname)) {
    throw new CliError(255, `Invalid endpoint: ${text}`);
  }
  return {
    origin: parsed.origin,
    host: parsed.host,
    prefix: parsed.pathname.replace(/\/+$/, ''),
  };
}

/** A region to sign for: given, and one that may stand in a host name. */
export function checkedRegion(region: string | undefined): string {
  if (region === undefined) {
    throw new CliError(
      253,
      'You must specify a region. You can also configure your region by running "hob functions configure".',
    );
  }
  if (!/^(?![0-9]+$)(?!-)[a-zA-Z0-9-]{1,63}(?<!-)$/.test(region)) {
    throw new CliError(255, `Provided region_name '${region}' doesn't match a supported format.`);
  }
  return region;
}

const label = String.raw`(?!-)[A-Za-z\d-]{1,63}(?<!-)`;

const hostName = new RegExp(String.raw`^(?:(?:${label}\.)*${label}\.?|\[[0-9a-fA-F:.]+\])$`);

/** How the service is reached. */
export interface ConnectionOptions {
  /** Seconds; 0 waits for ever. */
  readonly connectTimeout: number;
  /** Seconds without a byte; 0 waits for ever. */
  readonly readTimeout: number;
  readonly verifySsl: boolean;
  /** Path of a file of certificates that are trusted instead of the system's. */
  readonly caBundle: string | undefined;
  readonly retries: Retries;
}
