/** Which process has the other end of a TCP connection on this machine's loopback (proc(5), /proc/net/tcp). */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Seen from our end. */
export interface LoopbackConnection {
  /** IPv4. */
  readonly address: string;
  readonly port: number;
  readonly peerAddress: string;
  readonly peerPort: number;
}

export interface SocketOwner {
  readonly user: number;
  readonly inode: string;
}

/** Undefined when no process has it open any more. */
export function ownerOfPeer(connection: LoopbackConnection): SocketOwner | undefined {
  const local = listed(connection.peerAddress, connection.peerPort);
  const remote = listed(connection.address, connection.port);
  // An IPv6 socket may carry IPv4 too.
  for (const [path, prefix] of [
    ['/proc/net/tcp', ''],
    ['/proc/net/tcp6', mappedPrefix],
  ] as const) {
    for (const line of linesOf(path)) {
      const [, from, to, , , , , user, , inode] = line.trim().split(/\s+/);
      if (from !== prefix + local || to !== prefix + remote) continue;
      // A socket that its process has closed has no owner.
      return inode === undefined || inode === '0' ? undefined : { user: Number(user), inode };
    }
  }
  return undefined;
}

/** Whether one of these processes has a socket open. */
export function haveSocket(processes: readonly number[], inode: string): boolean {
  return processes.some((pid) => socketsOf(pid).includes(`socket:[${inode}]`));
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'latin1').split('\n');
  } catch {
    // A host without IPv6.
    return [];
  }
}

function socketsOf(pid: number): string[] {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).map((name) => linkOf(`${folder}/${name}`));
  } catch {
    // It has ended in the meantime.
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // Closed in the meantime.
    return '';
  }
}

/** ::ffff:0:0/96, each word in the byte order of the machine. */
const mappedPrefix = '0000000000000000FFFF0000';

function listed(address: string, port: number): string {
  const bytes = address.split('.').map(Number).toReversed();
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${hex}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
}
