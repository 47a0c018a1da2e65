import assert from 'node:assert/strict';
import { BlockList, isIPv6 } from 'node:net';
import { describe, it } from 'node:test';

import { specialIPv4, specialIPv6 } from './special-addresses.ts';

const networks = [...specialIPv4, ...specialIPv6].map((text) => {
  const [address = '', bits] = text.split('/');
  const family = isIPv6(address) ? ('ipv6' as const) : ('ipv4' as const);
  const list = new BlockList();
  list.addSubnet(address, Number(bits), family);
  return { text, address, family, list };
});

const networksOf = (address: string): string[] =>
  networks
    .filter(({ list }) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4'))
    .map(({ text }) => text);

describe('special addresses', () => {
  it('hold those of hosts, providers and links, and those that stand for others', () => {
    for (const address of [
      '0.0.0.0',
      '10.255.255.255',
      '100.64.0.1',
      // Alibaba, Azure, every large provider, Oracle.
      '100.100.100.200',
      '168.63.129.16',
      '169.254.169.254',
      '192.0.0.192',
      '127.1.2.3',
      '172.31.255.255',
      '192.88.99.1',
      '192.168.1.1',
      '198.19.255.255',
      '224.0.0.1',
      '255.255.255.255',
      '::',
      '::1',
      '::10.0.0.1',
      '::ffff:0:10.0.0.1',
      '64:ff9b::10.0.0.1',
      '64:ff9b:1::10.0.0.1',
      '100::1',
      '100:0:0:1::1',
      '2001::4136:e378:8000:63bf:3fff:fdd2',
      '2001:2::1',
      '2001:20::1',
      '2002:a00:1::1',
      '5f00::1',
      'fd00:ec2::254',
      'fe80::1',
      'fec0::1',
      'feff::1',
      'ff02::1',
    ]) {
      assert.equal(networksOf(address).length, 1, address);
    }
  });

  it('hold no others', () => {
    for (const address of [
      '1.1.1.1',
      '100.63.255.255',
      '100.128.0.0',
      '168.63.129.15',
      '168.63.129.17',
      '172.32.0.1',
      '192.0.1.1',
      '223.255.255.255',
      '2001:200::1',
      '2001:4860:4860::8888',
      '2003::1',
      '2606:2800:220:1::1',
      'fbff::1',
    ]) {
      assert.deepEqual(networksOf(address), [], address);
    }
  });

  it('overlap nowhere', () => {
    for (const { address, text } of networks) assert.deepEqual(networksOf(address), [text]);
  });
});
