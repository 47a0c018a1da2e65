import type { Server } from 'node:https';
import type { Socket } from 'node:net';

import { interceptConnections } from './intercept-connections.ts';

/** Time for the first byte of a connection to an HTTPS port; then it is closed. */
const firstByteMilliseconds = 10_000;
/** With this byte every TLS handshake begins, and no HTTP request does. */
const handshake = 0x16;

/**
 * Explains the error to clients that send plain HTTP to a TLS port: TLS alone would end the connection without a response
 * that such a client understands. The first byte is looked at and put back before the server's own listener sees it.
 */
export function onlySecure(server: Server): Server {
  interceptConnections(server, (socket, pass) => {
    socket.setTimeout(firstByteMilliseconds, () => socket.destroy());
    socket.once('error', () => socket.destroy());
    socket.once('data', (chunk: Buffer) => {
      socket.pause();
      socket.removeAllListeners('timeout');
      socket.setTimeout(0);
      if (chunk[0] !== handshake) return refuse(socket);
      socket.unshift(chunk);
      pass();
    });
  });
  return server;
}

function refuse(socket: Socket): void {
  const message = 'This port accepts HTTPS only. Use an https:// URL.';
  const body = `${JSON.stringify({ message })}\n`;
  const head = [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  // What the client still sends is read, or the connection would be reset before it has read the answer.
  socket.resume();
  socket.setTimeout(firstByteMilliseconds, () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
