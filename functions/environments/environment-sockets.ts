import { chmod, mkdir, open, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

import { reportError } from '#platform/in-background.ts';

/** The sockets of one environment: one for the Runtime API, and one that receives the program's output. */
export interface EnvironmentSockets {
  /** The folder that the program sees; the Runtime API's socket is in it. */
  readonly folder: string;
  /** Path of the socket that receives the program's output; the program sees only an open descriptor. */
  readonly output: string;
  /** The same for the extensions. */
  readonly extensionOutput: string;
  close(): Promise<void>;
}

export interface SocketHandlers {
  readonly runtime: (socket: Socket) => void;
  readonly output: (bytes: Uint8Array) => void;
  /** Undefined where no other programs are started. */
  readonly extensionOutput: ((bytes: Uint8Array) => void) | undefined;
}

export async function openSockets(
  parent: string,
  id: string,
  handlers: SocketHandlers,
): Promise<EnvironmentSockets> {
  const own = join(parent, id);
  const folder = join(own, 'in');
  await mkdir(folder, { recursive: true });
  // The program runs as a user of its own, who must be able to traverse to the socket; the launcher gives it access to the last directory.
  await Promise.all([chmod(own, 0o711), chmod(folder, 0o700)]);
  const opened = await open(own, 'r');
  const runtime = createServer(handlers.runtime);
  const output = outputServer(handlers.output);
  const outputPath = join(own, 'output');
  const extensionOutput = handlers.extensionOutput && outputServer(handlers.extensionOutput);
  const extensionPath = join(own, 'extensions');
  async function close(): Promise<void> {
    await Promise.all([end(runtime), end(output), extensionOutput && end(extensionOutput)]);
    // Only now: the server unlinks its socket by the address that it was given.
    await opened.close();
    await rm(own, { recursive: true, force: true });
  }
  try {
    await Promise.all([
      listen(runtime, addressIn(own, opened, 'in/runtime')),
      listen(output, addressIn(own, opened, 'output')),
      extensionOutput && listen(extensionOutput, addressIn(own, opened, 'extensions')),
    ]);
    // Only the launcher connects to these.
    await chmod(outputPath, 0o600);
    if (extensionOutput) await chmod(extensionPath, 0o600);
  } catch (error) {
    await close();
    throw error;
  }
  return { folder, output: outputPath, extensionOutput: extensionPath, close };
}

/** A program can read this address (getpeername(2)), so it must not reveal a path of the host; a path through `/proc` does not. */
function addressIn(folder: string, { fd }: FileHandle, name: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${fd}/${name}` : join(folder, name);
}

function outputServer(onBytes: (bytes: Uint8Array) => void): Server {
  return createServer((socket) => {
    socket.on('data', (bytes: Buffer) => {
      try {
        onBytes(bytes);
      } catch (error) {
        // It would end the server: what a program prints may end no more than its connection.
        reportError(error);
        socket.destroy();
      }
    });
    // The program disconnected; its exit reports why.
    socket.on('error', () => socket.destroy());
  });
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function end(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
