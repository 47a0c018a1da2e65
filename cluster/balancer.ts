import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';

import { elapsed } from '../faults/server-under-test.ts';
import { endWithThisProcess } from '../scenarios/child-processes.ts';

export interface BalancedServer {
  readonly name: string;
  readonly port: number;
  readonly sshPort?: number | undefined;
  /** Where other nodes reach it; undefined where there are none. */
  readonly nodeAddress?: string | undefined;
}

export interface BalancerOptions {
  readonly folder: string;
  readonly port: number;
  /** A file with it and its key; without, clients speak plain HTTP. */
  readonly certificate?: string | undefined;
  /** Where clients speak SSH, which goes to all servers. */
  readonly sshPort?: number | undefined;
  readonly servers: readonly BalancedServer[];
  /** Whether each request goes to the next server, also where another one is known to have its repository or function. */
  readonly inTurn?: boolean | undefined;
}

/** Starts HAProxy, which sends requests to servers that are ready. It listens before any of them is. */
export async function startBalancer(options: BalancerOptions): Promise<ChildProcess> {
  const { folder, port } = options;
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, await configuration(options));
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
  endWithThisProcess(child);
  const listening = await elapsed(async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
    return true;
  }, 30);
  if (!Number.isFinite(listening)) throw new Error('haproxy did not start.');
  return child;
}

/** The file that operators get, for these servers and for a run that is over in minutes. */
async function configuration(options: BalancerOptions): Promise<string> {
  const { port, certificate, sshPort, servers } = options;
  const tls = certificate === undefined ? '' : ` ssl crt ${certificate} alpn http/1.1`;
  const bind = `bind 127.0.0.1:${port}${tls}
  http-request set-header X-Forwarded-Proto https if { ssl_fc }`;
  let text = await readFile(deployedFile, 'utf8');
  for (const [deployed, here] of [
    ['bind :3000', bind],
    ['timeout connect 5s', 'timeout connect 1s'],
    ['timeout client 16m', 'timeout client 60s'],
    ['timeout server 16m', 'timeout server 60s'],
    ['inter 1s', 'inter 500ms'],
  ] as const) {
    if (!text.includes(deployed)) throw new Error(`${deployedFile} lacks "${deployed}".`);
    text = text.replace(deployed, here);
  }
  const withoutServers = text.replace(/^(?: {2}(?:use-)?server |backend ready-).*\n/gm, '');
  const sections = servers.map(readySection);
  if (sshPort !== undefined) sections.push(sshSection(sshPort, servers));
  return [`${withoutServers}${serverLines(options)}\n`, ...sections].join('\n');
}

const deployedFile = join(import.meta.dirname, '../deploy/cluster/haproxy.cfg');

/** At the end of the backend of the nodes, which is the last section. */
function serverLines({ servers, inTurn = false }: BalancerOptions): string {
  const lines = servers.map(({ name, port }) => `  server ${name} 127.0.0.1:${port}`);
  const owners = servers.flatMap(({ name, nodeAddress }) =>
    inTurn || nodeAddress === undefined
      ? []
      : [
          `  use-server ${name} if { str(${nodeAddress}),crc32,sub(txn.owner) 0 } { nbsrv(ready-${name}) gt 0 }`,
        ],
  );
  return [...owners, ...lines].join('\n');
}

function readySection({ name, port }: BalancedServer): string {
  return `backend ready-${name}\n  server ${name} 127.0.0.1:${port} track nodes/${name}\n`;
}

function sshSection(port: number, servers: readonly BalancedServer[]): string {
  const lines = servers.map(({ name, sshPort }) => `  server ${name} 127.0.0.1:${sshPort} check`);
  return `listen ssh
  mode tcp
  bind 127.0.0.1:${port}
  balance roundrobin
${lines.join('\n')}
`;
}
