import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'node:test';

import { specialIPv4, specialIPv6 } from '#platform/special-addresses.ts';

import { findHostTools } from '../process/host-tools.ts';
import { filterRules } from './internet.ts';

const { pasta, nft, ip, unshare = '', perl } = findHostTools();

const world = fileURLToPath(new URL('../testing/internet-world.ts', import.meta.url));

interface Found {
  readonly noInternet?: string;
  readonly found: Readonly<Record<string, string>>;
}

/** Needs root, whose namespaces the kernel lets have interfaces. */
function lookAround(): Promise<Found> {
  const args = ['--net', '--mount', process.execPath, world];
  return new Promise((resolve, reject) => {
    execFile(unshare, args, { timeout: 120_000 }, (error, out, err) => {
      if (error) reject(new Error(err, { cause: error }));
      else resolve(JSON.parse(out));
    });
  });
}

function missing(): string | false {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs root on Linux';
  return pasta && nft && ip && unshare && perl ? false : 'needs pasta, nft, ip, unshare and perl';
}

describe('the network internet', () => {
  it(
    'reaches public addresses, and nothing of the host and of private networks',
    { skip: missing() },
    async (context) => {
      const { noInternet, found } = await lookAround();
      if (noInternet !== undefined) return context.skip(noInternet);
      const { '203.0.113.9 8080': public4, '2001:db8:9::9 8080': public6, ...others } = found;
      const { 'outside.example 8080': named, 'hob.example 443': service, ...rest } = others;
      const { '203.0.113.9 bound': bound, '10.9.9.9 bound': boundPrivate, ...refused } = rest;
      assert.deepEqual(
        { public4, public6, named, service, bound, boundPrivate },
        {
          public4: 'outside',
          public6: 'outside',
          named: 'outside',
          service: 'service',
          bound: 'connected',
          boundPrivate: 'refused',
        },
      );
      assert.equal(Object.keys(refused).length, 15);
      for (const [address, heard] of Object.entries(refused)) {
        assert.match(heard, /^E[A-Z]+$/, `${address}: ${heard}`);
      }
    },
  );

  it('refuses all special addresses, and those that are mapped from IPv4', () => {
    const rules = filterRules([]);
    const refused = [...rules.matchAll(/^ip6? daddr \{ (.*) \} reject$/gm)]
      .flatMap(([, list = '']) => list.split(', '))
      .toSorted();
    const expected = [...specialIPv4, ...specialIPv6, '::ffff:0:0/96'].toSorted();
    assert.deepEqual(refused, expected);
  });

  it('refuses the addresses of the host, which may be public, in rules of their own', () => {
    const rules = filterRules(['203.0.113.77', '203.0.113.77', '2001:db8:1::1']);
    assert.match(rules, /^ip daddr \{ 203\.0\.113\.77 \} reject$/m);
    assert.match(rules, /^ip6 daddr \{ 2001:db8:1::1 \} reject$/m);
    assert.doesNotMatch(filterRules([]), /\{ {2}\}/);
    const accepted = rules.indexOf('169.254.1.1 meta');
    assert.ok(accepted > 0 && accepted < rules.indexOf('169.254.0.0/16'));
  });
});
