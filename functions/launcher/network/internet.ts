/**
 * The way out of a network namespace: pasta (https://passt.top) carries its connections by sockets of the host, and a filter of the
 * kernel refuses addresses that are not public. Programs have no rights over the namespace, so they change neither.
 */
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';

import { specialIPv4, specialIPv6 } from '#platform/special-addresses.ts';

import { orGiveUp, runTool, startProcess } from '../process/start-process.ts';
import type { NetworkNamespace } from './network-namespace.ts';

export interface InternetTools {
  readonly pasta: string;
  readonly nft: string;
  readonly sh: string;
  readonly mount: string;
  readonly umount: string;
}

export interface Internet {
  close(): void;
}

/** Where pasta answers for the name server of the host, which may have a private address. Podman uses the same. */
export const nameServer = '169.254.1.1';

/** Programs have no reason to send addresses of IPv4 in the form of IPv6. */
const mappedIPv4 = '::ffff:0:0/96';

/** `folder` is for a file of each namespace, and `name` is unique in it. */
export async function connectToInternet(
  tools: InternetTools,
  namespace: NetworkNamespace,
  folder: string,
  name: string,
): Promise<Internet> {
  const rules = join(folder, `${name}.nft`);
  const path = join(folder, `${name}.net`);
  try {
    await writeFile(rules, filterRules(hostAddresses()));
    // Before there is anything to filter.
    await runTool(namespace.enter([tools.nft, '-f', rules]));
    await writeFile(path, '');
    // pasta drops the right to open the namespaces of other processes before it opens this one.
    await runTool([tools.mount, '--bind', namespace.path, path]);
    try {
      return await startPasta(tools, path);
    } finally {
      // pasta holds it open.
      await runTool([tools.umount, '--lazy', path]);
    }
  } finally {
    await rm(rules, { force: true });
    await rm(path, { force: true });
  }
}

async function startPasta({ pasta, sh }: InternetTools, path: string): Promise<Internet> {
  const options = [...pastaOptions, '--netns', path];
  const child = await startProcess(
    // pasta opens its standard output by name, which must be a pipe for that; Node makes sockets.
    [sh, '-c', '"$@" | cat', 'sh', pasta, ...options],
    ['ignore', 'pipe', 'pipe'],
  );
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-1000);
  });
  const ready = Promise.race([
    once(child.stdout ?? child, 'data').then(() => true),
    once(child, 'exit').then(() => false),
  ]);
  const started = await orGiveUp(child, ready, pasta);
  if (!started) throw new Error(`pasta failed: ${said.trim()}`);
  child.stdout?.resume();
  const { pid } = child;
  return {
    // It leads a group of its own.
    close() {
      if (pid !== undefined && child.exitCode === null) process.kill(-pid, 'SIGKILL');
    },
  };
}

const pastaOptions = [
  // In a mount namespace of ours, and sandboxed by pasta itself.
  '--foreground --quiet --runas 0 --netns-only --no-netns-quit --config-net --ns-ifname internet',
  // Nothing of the host's loopback, in either direction.
  '--no-map-gw -t none -u none -T none -U none',
  `--dns-forward ${nameServer}`,
  // Written when everything is set up.
  '--pid /proc/self/fd/1',
].flatMap((line) => line.split(' '));

/** Addresses of the host lead to its own services, whatever kind they are; one of its loopback interface may be public. */
function hostAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .map(({ address }) => address.replace(/%.*$/, ''));
}

/** A file for nft(8). It filters what programs send, so it holds for every kind of socket, whatever interface that is bound to. */
export function filterRules(addresses: readonly string[]): string {
  const rules = [
    'oifname "lo" accept',
    `ip daddr ${nameServer} meta l4proto { tcp, udp } th dport 53 accept`,
    'icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert, nd-router-solicit } accept',
    ...refused('ip', specialIPv4),
    ...refused('ip6', [...specialIPv6, mappedIPv4]),
    ...refused(
      'ip',
      addresses.filter((address) => !isIPv6(address)),
    ),
    ...refused('ip6', addresses.filter(isIPv6)),
  ];
  return [
    'table inet hob {',
    'chain output {',
    'type filter hook output priority 0; policy accept;',
    ...rules,
    '}',
    '}',
    '',
  ].join('\n');
}

function refused(family: 'ip' | 'ip6', addresses: readonly string[]): string[] {
  if (addresses.length === 0) return [];
  return [`${family} daddr { ${[...new Set(addresses)].join(', ')} } reject`];
}
