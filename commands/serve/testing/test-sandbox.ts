import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

import type { SandboxClient, SandboxServer } from '#functions/ports/sandbox-server.ts';

import type { SandboxServerOptions } from '../sandbox-server.ts';

export const sandboxServerOptions = {
  baseUrl: 'http://hob.example',
  certificate: undefined,
  authority: undefined,
  headerNames: [],
  bytesPerSecondMin: 0,
} satisfies Partial<SandboxServerOptions>;

export const testClient: SandboxClient = {
  functionArn: 'arn:aws:lambda:us-east-1:123456789012:function:gate',
  reach: 'service',
  address: 'fd00:0:0:1::1',
  atBaseUrl: true,
  lineage: () => '0a1b2c3d:3',
};

/** A loopback port of this process that stands for the one in a sandbox. */
export interface TestSandbox {
  readonly port: number;
  /** Of the next connections. */
  client: SandboxClient;
  close(): void;
}

export async function openTestSandbox(sandboxServer: SandboxServer): Promise<TestSandbox> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    sandboxServer.accept(socket, sandbox.client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port } = server.address() as AddressInfo;
  const sandbox: TestSandbox = {
    port,
    client: testClient,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
  return sandbox;
}
