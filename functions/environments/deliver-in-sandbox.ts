import type { Socket } from 'node:net';

import { request } from '#platform/node-http.ts';

import type { Sandbox } from '../launcher/launcher.ts';

/** Posts a batch to a program inside a sandbox: any host name means the sandbox's own loopback. */
export async function deliverInSandbox(
  sandbox: Sandbox,
  destination: URL,
  body: Uint8Array,
): Promise<void> {
  const socket = await sandbox.connectToLoopback(Number(destination.port || 80));
  try {
    await post(socket, destination, body);
  } finally {
    socket.destroy();
  }
}

function post(socket: Socket, { host, pathname, search }: URL, body: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const posting = request({
      method: 'POST',
      path: `${pathname}${search}`,
      headers: {
        host,
        'content-type': 'application/json',
        'content-length': body.length,
        connection: 'close',
      },
      timeout: patienceMilliseconds,
      createConnection: () => socket,
    });
    posting.once('response', (response) => {
      const { statusCode = 0 } = response;
      response.resume();
      if (statusCode < 300) resolve();
      else reject(new Error(`The subscriber returned status ${statusCode}.`));
    });
    posting.once('timeout', () => posting.destroy(new Error('The subscriber did not respond.')));
    posting.once('error', reject);
    posting.end(body);
  });
}

/** Time for a subscriber to take a batch of telemetry. */
const patienceMilliseconds = 3000;
