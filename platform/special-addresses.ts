/**
 * Networks of special purpose: they are of a host, a provider or a link, or stand for other addresses, and lead to no host on the
 * internet. After the registries of IANA (https://www.iana.org/assignments/iana-ipv4-special-registry and
 * iana-ipv6-special-registry), without the blocks for documentation, which lead nowhere, and those of AS112, which are public. They do not
 * overlap: a set of nft(8) refuses intervals that do.
 */
export const specialIPv4: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Azure's services of a virtual machine, at a public address that is routed to the host alone.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  // Relays of 6to4 (RFC 7526).
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  // Multicast, reserved, and broadcast.
  '224.0.0.0/3',
];

/** Without addresses that are mapped from IPv4 (::ffff:0:0/96): which of these are special depends on the address in them. */
export const specialIPv6: readonly string[] = [
  // Unspecified, loopback, compatible with IPv4 (RFC 4291 section 2.5.5.1), and what is reserved next to them.
  '::/95',
  // Translated from IPv4 (RFC 2765).
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  // Discard-only, and the dummy prefix (RFC 6666, RFC 9780).
  '100::/63',
  // Protocol assignments: Teredo, benchmarking, ORCHID (RFC 2928).
  '2001::/23',
  '2002::/16',
  // Identifiers of segment routing (RFC 9602).
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  // Site-local (RFC 3879).
  'fec0::/10',
  'ff00::/8',
];
