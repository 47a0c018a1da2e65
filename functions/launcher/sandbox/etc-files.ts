/** The few files of `/etc` that each sandbox has of its own. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ConfiguredAddress } from '../network/configured-network.ts';
import { nameServer } from '../network/internet.ts';
import type { Network, ServiceAddress } from '../launcher.ts';

export interface EtcFilesOptions {
  readonly folder: string;
  /** The number of the user that the program sees itself as. */
  readonly user: number;
  readonly network: Network['kind'];
  readonly addresses: readonly ConfiguredAddress[];
  readonly service: ServiceAddress | undefined;
  /** An image has its own tables; only its `hosts` file is ours. */
  readonly image: boolean;
}

/** The host's paths of the files, by their name in `/etc`. They are so small that waiting for them would take longer. */
export function writeEtcFiles(options: EtcFilesOptions): Record<string, string> {
  const { folder, user, network, image } = options;
  const texts: Record<string, string> = {
    hosts: (network === 'host' ? `${hostText('/etc/hosts')}\n` : hosts(options)) + ownNames,
    'resolv.conf': resolverOf(network),
  };
  if (!image) {
    texts['passwd'] =
      'root:x:0:0:root:/:/usr/sbin/nologin\n' +
      `function:x:${user}:${user}:function:/tmp:/usr/sbin/nologin\n`;
    texts['group'] = `root:x:0:\nfunction:x:${user}:\n`;
    texts['nsswitch.conf'] =
      `passwd: files\ngroup: files\nhosts: files${resolverOf(network) === '' ? '' : ' dns'}\n`;
  }
  mkdirSync(folder, { recursive: true });
  const paths: Record<string, string> = {};
  for (const [name, text] of Object.entries(texts)) {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o644 });
    paths[name] = path;
  }
  return paths;
}

function resolverOf(network: Network['kind']): string {
  switch (network) {
    case 'host':
      return hostText('/etc/resolv.conf');
    case 'internet':
      return `nameserver ${nameServer}\n`;
    case 'none':
    case 'declared':
      return '';
  }
}

/** The host names of the sandbox itself. */
const ownNames = '127.0.0.1 sandbox sandbox.localdomain\n';

function hosts({ addresses, service }: EtcFilesOptions): string {
  const lines = addresses.map(({ name, address }) => `${address} ${name}\n`);
  // A name that the operator has declared leads where the declaration says, and only there.
  const isDeclared = addresses.some(({ name }) => name === service?.name);
  if (service?.name !== undefined && !isDeclared) {
    lines.push(`${service.address} ${service.name}\n`);
  }
  return ['127.0.0.1 localhost\n::1 localhost\n', ...new Set(lines)].join('');
}

function hostText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
