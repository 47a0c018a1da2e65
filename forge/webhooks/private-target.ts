import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

/** Addresses of this machine and of networks that are nobody's on the internet: a webhook must not be a way in there. */
const privateAddresses = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  privateAddresses.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  privateAddresses.addSubnet(network, prefix, 'ipv6');
}

/** The way out for those who run the server, in the refusals of what is private. */
export const privateTargetsHint =
  'To allow private addresses, start the server with HOB_WEBHOOK_PRIVATE_TARGETS=on.';

export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  // What is no address cannot be vouched for. BlockList sees IPv4 in its IPv6 clothes (::ffff:…) as IPv4.
  return family === 0 || privateAddresses.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Every address the host of a URL has; empty when it has none. */
export async function addressesOf(url: URL): Promise<string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return [host];
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}
