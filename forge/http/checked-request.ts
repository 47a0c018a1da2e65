import type { IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import { isIP } from 'node:net';

import { request as requestPlain } from '#platform/node-http.ts';

import { addressesOf } from './private-target.ts';

/** Whom a request of this server may reach. */
export interface Reach {
  /** Whether nothing may be asked of an IP address. */
  readonly refuses: (address: string) => boolean;
  /** Ends the request, and the response while it is read. */
  readonly signal: AbortSignal;
}

/** A host that is not asked. */
export class TargetError extends Error {
  override readonly name = 'TargetError';
}

/**
 * Asks another server on behalf of a user, following no redirect. The connection uses the IP address that was checked, so that DNS rebinding
 * cannot reach private networks.
 */
export async function requestChecked(
  url: URL,
  { refuses, signal }: Reach,
  sent: {
    readonly headers: Readonly<Record<string, string>>;
    /** With POST; without it, the request is GET. */
    readonly body?: Buffer;
  },
): Promise<IncomingMessage> {
  const addresses = await addressesOf(url);
  const [address] = addresses;
  // The same for both: users would learn which names there are in private networks.
  if (address === undefined || addresses.some((each) => refuses(each))) {
    throw new TargetError('It has no address, or a loopback or private one.');
  }
  return new Promise((resolve, reject) => {
    const ask = url.protocol === 'https:' ? requestSecure : requestPlain;
    const request = ask(
      url,
      {
        method: sent.body ? 'POST' : 'GET',
        headers: sent.headers,
        signal,
        agent: false,
        lookup: (_host, options, found) => {
          const family = isIP(address);
          if (options.all === true) found(null, [{ address, family }]);
          else found(null, address, family);
        },
      },
      resolve,
    );
    request.on('error', reject);
    request.end(sent.body);
  });
}
