import type { Socket } from 'node:net';

/**
 * How much of what was written to a connection the kernel has taken. A stream counts a write as done once all of it is, and an
 * answer of megabytes is one write; only the handle below shows partial progress. Node's own timeouts look there too (lib/net.js,
 * `_onTimeout`).
 */
export function bytesSent(socket: Socket): number {
  const handle = handleOf(socket);
  return numberOf(handle, 'bytesWritten') - numberOf(handle, 'writeQueueSize');
}

/** What the kernel has not taken yet, because the client does not read. */
export function bytesUnsent(socket: Socket): number {
  return numberOf(handleOf(socket), 'writeQueueSize');
}

function handleOf(socket: Socket): object {
  const handle: unknown = Reflect.get(socket, '_handle');
  return typeof handle === 'object' && handle !== null ? handle : {};
}

function numberOf(handle: object, name: string): number {
  const value: unknown = Reflect.get(handle, name);
  return typeof value === 'number' ? value : 0;
}
