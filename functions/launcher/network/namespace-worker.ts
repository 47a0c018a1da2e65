/** The thread of namespace-thread.ts. Between requests it is in an empty namespace of its own. */
import { dlopen } from 'node:ffi';
import { closeSync, openSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { parentPort } from 'node:worker_threads';

import type { NamespaceResponse, NamespaceRequest } from './namespace-thread.ts';

const { functions: libc } = dlopen(null, {
  unshare: { arguments: ['i32'], return: 'i32' },
  setns: { arguments: ['i32', 'i32'], return: 'i32' },
  socket: { arguments: ['i32', 'i32', 'i32'], return: 'i32' },
  ioctl: { arguments: ['i32', 'u64', 'buffer'], return: 'i32' },
  inet_pton: { arguments: ['i32', 'string', 'buffer'], return: 'i32' },
  bind: { arguments: ['i32', 'buffer', 'u32'], return: 'i32' },
  listen: { arguments: ['i32', 'i32'], return: 'i32' },
  connect: { arguments: ['i32', 'buffer', 'u32'], return: 'i32' },
  getsockopt: { arguments: ['i32', 'i32', 'i32', 'buffer', 'buffer'], return: 'i32' },
  getpeername: { arguments: ['i32', 'buffer', 'buffer'], return: 'i32' },
});

// The numbers of Linux on x64 and arm64, both little-endian.
const cloneNewNet = 0x40000000;
const [addressFamilyIPv4, addressFamilyIPv6] = [2, 10];
/** SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK: programs inherit none of these sockets. */
const streamSocket = 1 | 0o2000000 | 0o4000;
/** SIOCSIFFLAGS and IFF_UP | IFF_RUNNING, see netdevice(7). */
const [setInterfaceFlags, upAndRunning] = [0x8914n, 0x41];
/** See socket(7). */
const [socketLevel, pendingError] = [1, 4];
/** See tcp(7); the first byte of that information is the state, as `tcp_states.h` numbers it. */
const [tcpLevel, tcpInformation] = [6, 11];
const closedState = 7;
const backlog = 128;

function checked(name: string, result: number): number {
  if (result < 0) throw new Error(`${name} failed for a network namespace.`);
  return result;
}

function enterNew(): number {
  checked('unshare', libc.unshare(cloneNewNet));
  return openSync('/proc/thread-self/ns/net', 'r');
}

const home = enterNew();

function goHome(): void {
  checked('setns', libc.setns(home, cloneNewNet));
}

function bringLoopbackUp(): void {
  const request = Buffer.alloc(40);
  request.write('lo');
  request.writeUInt16LE(upAndRunning, 16);
  const socket = checked('socket', libc.socket(addressFamilyIPv4, streamSocket, 0));
  try {
    checked('ioctl', libc.ioctl(socket, setInterfaceFlags, request));
  } finally {
    closeSync(socket);
  }
}

/** A `sockaddr_in` or `sockaddr_in6`, see ip(7) and ipv6(7). */
function socketAddress(address: string, port: number): Buffer {
  const family = isIPv6(address) ? addressFamilyIPv6 : addressFamilyIPv4;
  const bytes = Buffer.alloc(family === addressFamilyIPv6 ? 28 : 16);
  bytes.writeUInt16LE(family, 0);
  bytes.writeUInt16BE(port, 2);
  const at = bytes.subarray(family === addressFamilyIPv6 ? 8 : 4);
  if (libc.inet_pton(family, address, at) !== 1) throw new Error(`${address} is not an address.`);
  return bytes;
}

function listenAt(address: string, port: number): number {
  const at = socketAddress(address, port);
  const socket = checked('socket', libc.socket(at.readUInt16LE(0), streamSocket, 0));
  try {
    checked(`bind to ${address}:${port}`, libc.bind(socket, at, at.length));
    checked('listen', libc.listen(socket, backlog));
    return socket;
  } catch (error) {
    closeSync(socket);
    throw error;
  }
}

/** Does not wait: the program that listens there may be hostile. `isConnected` says what becomes of it. */
function connectTo(address: string, port: number): number {
  const at = socketAddress(address, port);
  const socket = checked('socket', libc.socket(at.readUInt16LE(0), streamSocket, 0));
  libc.connect(socket, at, at.length);
  return socket;
}

function isConnected(socket: number): boolean {
  const state = socketOption(socket, tcpLevel, tcpInformation)[0];
  const error = socketOption(socket, socketLevel, pendingError).readInt32LE();
  if (error !== 0) throw new Error(`connect failed (errno ${error}).`);
  // It never began, which is no pending error.
  if (state === closedState) throw new Error('connect failed: no route to that address.');
  return libc.getpeername(socket, Buffer.alloc(28), lengthOf(28)) === 0;
}

/** The first four bytes of its value. */
function socketOption(socket: number, level: number, option: number): Buffer {
  const value = Buffer.alloc(4);
  checked('getsockopt', libc.getsockopt(socket, level, option, value, lengthOf(4)));
  return value;
}

/** A `socklen_t`. */
function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes);
  return length;
}

function make(): number {
  const namespace = enterNew();
  try {
    bringLoopbackUp();
    return namespace;
  } catch (error) {
    closeSync(namespace);
    throw error;
  } finally {
    goHome();
  }
}

function inside(namespace: number, work: () => number): number {
  checked('setns', libc.setns(namespace, cloneNewNet));
  try {
    return work();
  } finally {
    goHome();
  }
}

function handle(request: NamespaceRequest): number {
  switch (request.do) {
    case 'make':
      return make();
    case 'listen':
      return inside(request.namespace, () => listenAt(request.address, request.port));
    case 'connect':
      return inside(request.namespace, () => connectTo(request.address, request.port));
    case 'is-connected':
      return Number(isConnected(request.socket));
    case 'close':
      closeSync(request.namespace);
      return request.namespace;
  }
}

function answer(request: NamespaceRequest): NamespaceResponse {
  try {
    return { result: handle(request) };
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }
}

function send(message: NamespaceResponse | 'ready'): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(message);
}

parentPort?.on('message', (request: NamespaceRequest) => send(answer(request)));
send('ready');
