import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { passiveContentHeaders } from '#platform/passive-content.ts';

/** Refuses a request whose connection cannot be used on. */
export function refuseAndClose(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ message });
  response.writeHead(status, {
    ...passiveContentHeaders,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  response.end(body);
}

/** Time for a client to read why its connection is refused. */
const lingerMilliseconds = 1000;

/**
 * The same before there is a request, or while one is worked on that has not been answered yet. What the client still sends is
 * read and discarded briefly: a connection that is closed with bytes unread is reset, and the refusal lost.
 */
export function closeWithRefusal(
  socket: Socket,
  status: string,
  message: string,
  { ofHead = false }: { readonly ofHead?: boolean } = {},
): void {
  if (!socket.writable) return;
  const body = JSON.stringify({ message });
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    'X-Content-Type-Options: nosniff',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  // The response to a HEAD request has no content (RFC 9110, section 9.3.2).
  socket.end(`${head.join('\r\n')}\r\n\r\n${ofHead ? '' : body}`);
  socket.resume();
  // Where this process itself stood still that long, what has come meanwhile is read first.
  const deadline = setTimeout(() => setImmediate(() => socket.destroy()), lingerMilliseconds);
  socket.once('close', () => clearTimeout(deadline));
}

/** What the parser refuses, and what it waited for too long (Node, event `clientError`). */
export function answerConnectionError(
  error: NodeJS.ErrnoException & { readonly rawPacket?: Buffer },
  socket: Socket,
  answer: ServerResponse | undefined,
): void {
  // In the middle of an answer a refusal would be read as a part of it.
  const answering = answer?.headersSent === true && !answer.writableFinished;
  if (error.code === 'ECONNRESET' || answering) {
    socket.destroy();
    return;
  }
  const ofHead = error.rawPacket?.subarray(0, 5).toString('latin1') === 'HEAD ';
  switch (error.code ?? 'unknown') {
    case 'HPE_HEADER_OVERFLOW':
      closeWithRefusal(
        socket,
        '431 Request Header Fields Too Large',
        'The request line and headers are larger than 16 KiB.',
        { ofHead },
      );
      return;
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      closeWithRefusal(socket, '408 Request Timeout', 'The request did not arrive in time.');
      return;
    default:
      closeWithRefusal(socket, '400 Bad Request', 'The request is not valid HTTP/1.1.', { ofHead });
  }
}
