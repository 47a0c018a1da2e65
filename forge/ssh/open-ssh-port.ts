import { type BlockList, createServer, type Socket } from 'node:net';

import { OperatorError } from '#platform/operator-error.ts';

import type { SshCommandRecord, SshHostKey, SshPort, SshServer } from '../ports/ssh-port.ts';

export interface OpenSshPort extends SshPort {
  /** The TCP port that it listens on. */
  readonly port: number;
  /** Gets each command when it has ended. */
  observeWith(observer: (command: SshCommandRecord) => void): void;
  /** Gives the port up, and waits for commands that run. */
  close(drainMilliseconds: number): Promise<void>;
}

/** Opens the port for git over SSH before the services start, like the one for HTTP: until then connections are closed. */
export async function openSshPort(
  host: string,
  port: number,
  parts: { readonly hostKeys: readonly SshHostKey[]; readonly sharedAddresses: BlockList },
): Promise<OpenSshPort> {
  let server: SshServer | undefined;
  let observe: ((command: SshCommandRecord) => void) | undefined;
  const listener = createServer((socket: Socket) => {
    if (server) server.accept(socket);
    else socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    listener.once('error', (cause) =>
      reject(
        new OperatorError(
          `Cannot listen for SSH on port ${port} of ${host}: ${cause.message}. Choose another port with --ssh-port.`,
          { cause },
        ),
      ),
    );
    listener.listen(port, host, resolve);
  });
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('not a TCP port');
  return {
    ...parts,
    port: address.port,
    serveWith(next) {
      server = next;
    },
    commandEnded: (command) => observe?.(command),
    observeWith(observer) {
      observe = observer;
    },
    async close(drainMilliseconds) {
      if (!listener.listening) return;
      const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
      await server?.close(drainMilliseconds);
      await closed;
    },
  };
}
