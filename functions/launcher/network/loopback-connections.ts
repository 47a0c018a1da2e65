/** Which process has the other end of a TCP connection within this machine (proc(5), /proc/net/tcp). */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

import type { LoopbackConnection } from '../launcher.ts';

export interface SocketOwner {
  readonly user: number;
  readonly inode: string;
}

/** The other end of each connection: `closed` when no process has it open any more, undefined when it is not on this machine. */
export function ownersOfPeers(
  connections: readonly LoopbackConnection[],
): (SocketOwner | 'closed' | undefined)[] {
  const wanted = connections.map(
    ({ address, port, peerAddress, peerPort }) =>
      `${listed(peerAddress, peerPort)} ${listed(address, port)}`,
  );
  const found = new Map<string, SocketOwner | 'closed'>();
  for (const path of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of linesOf(path)) {
      // An IPv6 socket may carry IPv4 too.
      const [, from, to, , , , , user, , inode = '0'] = line
        .replaceAll(mappedPrefix, '')
        .trim()
        .split(/\s+/);
      const ends = `${from} ${to}`;
      // A socket that its process has closed has no owner.
      if (wanted.includes(ends)) {
        found.set(ends, inode === '0' ? 'closed' : { user: Number(user), inode });
      }
    }
  }
  return wanted.map((ends) => found.get(ends));
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

/** As the kernel lists it: each word of 32 bits in the byte order of the machine, which is little-endian. */
function listed(address: string, port: number): string {
  const words = hexadecimal(address).match(/.{8}/g) ?? [];
  const hex = words.map((word) => (word.match(/../g) ?? []).toReversed().join('')).join('');
  return `${hex}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
}

function hexadecimal(address: string): string {
  const [, ipv4] = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (ipv4 !== undefined) {
    return ipv4
      .split('.')
      .map((byte) => Number(byte).toString(16).padStart(2, '0'))
      .join('');
  }
  const [before = [], after = []] = address
    .replace(/%.*$/, '')
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return [...before, ...zeros, ...after].map((group) => group.padStart(4, '0')).join('');
}
