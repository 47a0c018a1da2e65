import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { inBackground } from '#platform/in-background.ts';

import type { IsolationBackend } from '../sandbox/isolation-backend.ts';
import { SupervisedSandbox } from '../sandbox/supervised-sandbox.ts';

const expectedStatus = 77;
/** Time of the self-test of a tier of isolation; then the tier counts as unavailable. */
const selfTestMilliseconds = 10_000;

/** Whether a program really runs with these mechanisms. */
export async function passesSelfTest(backend: IsolationBackend): Promise<boolean> {
  const output = join(backend.folder, 'self-test-output');
  const server = createServer((socket) => socket.resume().on('error', () => {}));
  try {
    server.listen(output);
    await once(server, 'listening');
    return (await exitStatus(backend, output)) === expectedStatus;
  } catch {
    // The tier reports what the host cannot do.
    return false;
  } finally {
    server.close();
    await rm(output, { force: true });
  }
}

async function exitStatus(backend: IsolationBackend, output: string): Promise<number | undefined> {
  const user = backend.users?.first;
  const options = { id: 'self-test', memoryMiB: 64, ephemeralStorageMiB: 16, mounts: [] };
  const sandbox = await SupervisedSandbox.open(
    backend,
    { ...options, network: { kind: 'none' } },
    user,
  );
  try {
    const program = await sandbox.start({
      // It can write to its own /tmp and to nothing else.
      command: ['/bin/sh', '-c', `: >/tmp/self-test && exit ${expectedStatus}`],
      environment: {},
      directory: '/tmp',
      output,
    });
    const timeout = setTimeout(() => inBackground(program.kill()), selfTestMilliseconds);
    const end = await program.ended;
    clearTimeout(timeout);
    return end.kind === 'exited' ? end.status : undefined;
  } finally {
    await sandbox.close();
  }
}
