import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

import { familyOf } from '#platform/client-address.ts';
import { specialIPv4, specialIPv6 } from '#platform/special-addresses.ts';

/** Loopback, private and reserved addresses: a webhook must not reach internal networks (SSRF). */
const privateAddresses = new BlockList();
for (const network of [...specialIPv4, ...specialIPv6]) {
  const [address = '', bits] = network.split('/');
  privateAddresses.addSubnet(address, Number(bits), familyOf(address));
}

/** The hint for operators in refusals of private addresses. */
export const privateTargetsHint =
  'To allow private addresses, start the server with HOB_WEBHOOK_PRIVATE_TARGETS=on.';

export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  // Anything that is not an IP address is refused. BlockList treats IPv4-mapped IPv6 addresses (::ffff:…) as IPv4.
  return family === 0 || privateAddresses.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** All IP addresses of the host of a URL; empty if it has none. */
export async function addressesOf(url: URL): Promise<string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return [host];
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}
