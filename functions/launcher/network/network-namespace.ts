/** A network namespace with only a loopback interface; it lasts as long as the launcher holds it open. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { BlockList, isIPv6, Server, Socket } from 'node:net';

import type { ServiceAddress } from '../launcher.ts';
import type { HostTools } from '../process/host-tools.ts';
import { quoted } from '../process/shell-quote.ts';
import { startProcess } from '../process/start-process.ts';

export interface NetworkNamespace {
  /** Of the file that stands for it. */
  readonly path: string;
  /** Listens at the service's address, where the namespace was made with one. */
  readonly service: Server | undefined;
  /** A command that runs in it. */
  enter(command: readonly [string, ...string[]]): [string, ...string[]];
  /** Listens in it; the connections arrive here. */
  listen(host: string, port: number): Promise<Server>;
  /** Connects to what listens in it. */
  connect(host: string, port: number): Promise<Socket>;
  close(): void;
}

export type NetworkTools = Required<Pick<HostTools, 'unshare' | 'sh' | 'nsenter'>> & {
  readonly ip: string | undefined;
  readonly loopbackUp: string;
};

/** Read once: an update of the program's files must not change what a running server starts. */
const listener = readFileSync(new URL('listen-in-namespace.cjs', import.meta.url), 'utf8');

const connector = readFileSync(new URL('connect-in-namespace.cjs', import.meta.url), 'utf8');

function nodeRunning(program: string, host: string, port: number): [string, ...string[]] {
  return [process.execPath, '-e', program, '--', host, String(port)];
}

export function makeNetworkNamespace(
  tools: NetworkTools,
  service?: ServiceAddress,
): Promise<NetworkNamespace> {
  return service === undefined ? makeEmpty(tools) : makeWithService(tools, service);
}

async function makeEmpty(tools: NetworkTools): Promise<NetworkNamespace> {
  const script = `${tools.loopbackUp} && echo up && read end`;
  const holder = await startProcess(
    [tools.unshare, '--net', tools.sh, '-c', script],
    ['pipe', 'pipe', 'inherit'],
  );
  try {
    const [chunk]: unknown[] = await Promise.race([
      once(holder.stdout ?? holder, 'data'),
      once(holder, 'exit'),
    ]);
    if (!Buffer.isBuffer(chunk)) throw new Error('Creating a network namespace failed.');
    // The open file holds the namespace, so the process in it may end.
    return namespaceOf(tools, openSync(`/proc/${holder.pid}/ns/net`, 'r'), undefined);
  } finally {
    holder.kill('SIGKILL');
  }
}

/** The process that makes the namespace becomes the one that listens in it. */
async function makeWithService(
  tools: NetworkTools,
  { address, port }: ServiceAddress,
): Promise<NetworkNamespace> {
  const lines = [tools.loopbackUp, ...addressLines(tools, address), 'exec "$@"'];
  const listening = nodeRunning(listener, address, port);
  const child = await startProcess(
    [tools.unshare, '--net', tools.sh, '-c', lines.join(' && '), 'sh', ...listening],
    ['ignore', 'ignore', 'inherit', 'ipc'],
  );
  const service = await handleFrom(child, `${address}:${port}`);
  try {
    if (!(service instanceof Server)) throw new Error('A listener was expected.');
    return namespaceOf(tools, openSync(`/proc/${child.pid}/ns/net`, 'r'), service);
  } finally {
    child.disconnect();
  }
}

/** What makes an address one of the new namespace's own. */
function addressLines({ ip }: NetworkTools, address: string): string[] {
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  if (loopback.check(address, family)) return [];
  if (ip === undefined)
    throw new Error(`Install iproute2: ${address} is the host of the base URL.`);
  return [`${quoted(ip)} address add ${quoted(address)} dev lo`];
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** What a program that runs briefly inside creates there and passes to us. */
function handleFrom(child: ChildProcess, at: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    child.once('message', (_message, handle) => resolve(handle));
    child.once('exit', (status) => {
      reject(new Error(`Cannot use ${at} in a network namespace (${status}).`));
    });
    child.once('error', reject);
  });
}

function namespaceOf(
  tools: NetworkTools,
  descriptor: number,
  service: Server | undefined,
): NetworkNamespace {
  const path = `/proc/${process.pid}/fd/${descriptor}`;
  function enter(command: readonly [string, ...string[]]): [string, ...string[]] {
    // By a path, not by inheritance: the program must not get the open file.
    return [tools.nsenter, `--net=${path}`, '--', ...command];
  }
  /** Runs a program briefly inside, which creates a socket there and passes it to us. */
  async function createInside(program: string, host: string, port: number): Promise<unknown> {
    const command = enter(nodeRunning(program, host, port));
    const child = await startProcess(command, ['ignore', 'ignore', 'inherit', 'ipc']);
    const handle = await handleFrom(child, `${host}:${port}`);
    child.disconnect();
    return handle;
  }

  return {
    path,
    service,
    enter,
    async listen(host, port) {
      const server = await createInside(listener, host, port);
      if (!(server instanceof Server)) throw new Error('A listener was expected.');
      return server;
    },
    async connect(host, port) {
      const socket = await createInside(connector, host, port);
      if (!(socket instanceof Socket)) throw new Error('A connection was expected.');
      return socket;
    },
    close() {
      service?.close();
      closeSync(descriptor);
    },
  };
}

/** A line of shell that brings up the loopback of a new network namespace. */
export function loopbackUp(tools: HostTools): string | undefined {
  if (tools.ip !== undefined) return `${quoted(tools.ip)} link set lo up`;
  // Debian always has perl, and ip only sometimes. SIOCSIFFLAGS with IFF_UP | IFF_RUNNING, see netdevice(7).
  if (tools.perl !== undefined) return `${quoted(tools.perl)} -e ${quoted(perlProgram)}`;
  return undefined;
}

const perlProgram =
  '$r=pack("a16sx22","lo",0x41);socket(S,2,2,0)&&ioctl(S,0x8914,$r)||die "The loopback does not come up: $!"';
