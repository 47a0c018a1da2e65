import type { Server, Socket } from 'node:net';

/**
 * Gets the connections of a server before those who listen for them so far: `look` passes each on to them, at once or later, or deals
 * with it alone.
 */
export function interceptConnections(
  server: Server,
  look: (socket: Socket, pass: () => void) => void,
): void {
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    look(socket, () => {
      for (const listener of listeners) listener.call(server, socket);
    });
  });
}
