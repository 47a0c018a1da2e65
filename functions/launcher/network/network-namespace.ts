/** A network namespace with only a loopback interface; it lasts as long as the launcher holds it open. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { BlockList, isIPv6, Server, Socket } from 'node:net';

import type { ServiceAddress } from '../launcher.ts';
import type { HostTools } from '../process/host-tools.ts';
import { shellQuoted } from '../process/shell-quote.ts';
import { orGiveUp, runTool, startProcess } from '../process/start-process.ts';
import type { NamespaceThread } from './namespace-thread.ts';

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
  close(): Promise<void>;
}

export type NetworkTools = Required<Pick<HostTools, 'unshare' | 'sh' | 'nsenter'>> & {
  readonly ip: string | undefined;
  readonly loopbackUp: string;
  /** Undefined where there is none: programs do its work then, more slowly. */
  readonly thread: NamespaceThread | undefined;
};

/** Read once: an update of the program's files must not change what a running server starts. */
const listener = readFileSync(new URL('listen-in-namespace.cjs', import.meta.url), 'utf8');

const connector = readFileSync(new URL('connect-in-namespace.cjs', import.meta.url), 'utf8');

/** With a listener at the address of the service, where there is one. */
export async function makeNetworkNamespace(
  tools: NetworkTools,
  service?: ServiceAddress,
): Promise<NetworkNamespace> {
  const descriptor = await (tools.thread?.make() ?? makeByProgram(tools));
  const namespace = namespaceOf(tools, descriptor);
  if (service === undefined) return namespace;
  try {
    await addAddress(tools, namespace, service.address);
    const server = await namespace.listen(service.address, service.port);
    return {
      ...namespace,
      service: server,
      async close() {
        server.close();
        await namespace.close();
      },
    };
  } catch (error) {
    await namespace.close();
    throw error;
  }
}

async function makeByProgram(tools: NetworkTools): Promise<number> {
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
    return openSync(`/proc/${holder.pid}/ns/net`, 'r');
  } finally {
    holder.kill('SIGKILL');
  }
}

/** Makes an address one of the namespace's own. */
async function addAddress(
  { ip }: NetworkTools,
  namespace: NetworkNamespace,
  address: string,
): Promise<void> {
  if (loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')) return;
  if (ip === undefined)
    throw new Error(`Install iproute2: ${address} is the host of the base URL.`);
  // Otherwise no one can listen at it before the kernel has looked for duplicates, in the background.
  const usableAtOnce = isIPv6(address) ? ['nodad'] : [];
  await runTool(namespace.enter([ip, 'address', 'add', address, 'dev', 'lo', ...usableAtOnce]));
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

function namespaceOf(tools: NetworkTools, descriptor: number): NetworkNamespace {
  const { thread } = tools;
  const path = `/proc/${process.pid}/fd/${descriptor}`;
  function enter(command: readonly [string, ...string[]]): [string, ...string[]] {
    // By a path, not by inheritance: the program must not get the open file.
    return [tools.nsenter, `--net=${path}`, '--', ...command];
  }
  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    if (thread) await thread.closeNamespace(descriptor);
    else closeSync(descriptor);
  }
  /** Afterwards the descriptor may be that of another file. */
  function checkOpen(): void {
    if (closing) throw new Error('The network namespace is closed.');
  }
  /** Runs a program briefly inside, which creates a socket there and passes it to us. */
  async function createInside(program: string, host: string, port: number): Promise<unknown> {
    checkOpen();
    const command = enter([process.execPath, '-e', program, '--', host, String(port)]);
    const child = await startProcess(command, ['ignore', 'ignore', 'inherit', 'ipc']);
    const at = `${host}:${port}`;
    const handle = await orGiveUp(child, handleFrom(child, at), at);
    child.disconnect();
    return handle;
  }

  return {
    path,
    service: undefined,
    enter,
    async listen(host, port) {
      checkOpen();
      if (thread) return thread.listen(descriptor, host, port);
      const server = await createInside(listener, host, port);
      if (!(server instanceof Server)) throw new Error('A listener was expected.');
      return server;
    },
    async connect(host, port) {
      checkOpen();
      if (thread) return thread.connect(descriptor, host, port);
      const socket = await createInside(connector, host, port);
      if (!(socket instanceof Socket)) throw new Error('A connection was expected.');
      return socket;
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** A line of shell that brings up the loopback of a new network namespace. */
export function loopbackUp(tools: HostTools): string | undefined {
  if (tools.ip !== undefined) return `${shellQuoted(tools.ip)} link set lo up`;
  // Debian always has perl, and ip only sometimes. SIOCSIFFLAGS with IFF_UP | IFF_RUNNING, see netdevice(7).
  if (tools.perl !== undefined) return `${shellQuoted(tools.perl)} -e ${shellQuoted(perlProgram)}`;
  return undefined;
}

const perlProgram =
  '$r=pack("a16sx22","lo",0x41);socket(S,2,2,0)&&ioctl(S,0x8914,$r)||die "The loopback does not come up: $!"';
