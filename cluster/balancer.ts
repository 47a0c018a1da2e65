import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';

import { elapsed } from '../faults/server-under-test.ts';
import { endWithThisProcess } from '../scenarios/child-processes.ts';

export interface BalancedServer {
  readonly name: string;
  readonly port: number;
  readonly sshPort?: number | undefined;
}

export interface BalancerOptions {
  readonly folder: string;
  readonly port: number;
  /** A file with it and its key; without, clients speak plain HTTP. */
  readonly certificate?: string | undefined;
  /** Where clients speak SSH, which goes to all servers. */
  readonly sshPort?: number | undefined;
  readonly servers: readonly BalancedServer[];
}

/** Starts HAProxy, which sends each request to the next server that is ready. It listens before any of them is. */
export async function startBalancer(options: BalancerOptions): Promise<ChildProcess> {
  const { folder, port } = options;
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, configuration(options));
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

function configuration({ port, certificate, sshPort, servers }: BalancerOptions): string {
  const tls = certificate === undefined ? '' : ` ssl crt ${certificate} alpn http/1.1`;
  return `
global
  maxconn 1000
defaults
  mode http
  timeout connect 1s
  timeout client 60s
  timeout server 60s
  timeout tunnel 1h
  # A request that was sent is never repeated: it may have had its effect.
  retry-on conn-failure
  option redispatch 1
  option forwardfor
frontend hob
  bind 127.0.0.1:${port}${tls}
  http-request set-header X-Forwarded-Proto https if { ssl_fc }
  default_backend nodes
backend nodes
  balance roundrobin
  option httpchk
  http-check send meth GET uri /readyz hdr Host localhost
  # A node that answers otherwise, as a stopping one does, gets no new requests and finishes those under way. One that does not
  # answer is gone, perhaps with its machine, which closes no connection.
  http-check expect error-status L7OKC status 200
  default-server check inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.map((server) => `  server ${server.name} 127.0.0.1:${server.port}`).join('\n')}
${sshPort === undefined ? '' : sshSection(sshPort, servers)}`;
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
