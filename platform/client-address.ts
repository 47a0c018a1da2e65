import type { BlockList, IPVersion } from 'node:net';

/**
 * The family of a text that is an address. Node's `isIPv6` distinguishes addresses from other texts by an expression whose compilation takes
 * ten milliseconds of a start.
 */
export function familyOf(address: string): IPVersion {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}

/** `address` has no zone. */
export function isListed(list: BlockList, address: string): boolean {
  return list.check(address, familyOf(address));
}

/** One client has one address of IPv4, and a network of 64 bits of IPv6 (RFC 6177). */
export function clientOf(remoteAddress: string): string {
  // Without its zone.
  const address = remoteAddress.replace(/%.*$/, '');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (familyOf(address) === 'ipv4') return address;
  const [before = '', after = ''] = address.split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === '' ? [] : after.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  return [...head, ...zeros, ...tail].slice(0, 4).join(':');
}
