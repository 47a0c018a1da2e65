import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { inBackground } from '#platform/in-background.ts';

import type { IsolationBackend } from '../sandbox/isolation-backend.ts';
import { SupervisedSandbox } from '../sandbox/supervised-sandbox.ts';

const trialStatus = 77;
const trialMilliseconds = 10_000;

/** Whether a program really runs with these mechanisms. */
export async function passesSelfTest(backend: IsolationBackend): Promise<boolean> {
  const output = join(backend.folder, 'trial-output');
  const server = createServer((socket) => socket.resume().on('error', () => {}));
  try {
    server.listen(output);
    await once(server, 'listening');
    return (await trialEnd(backend, output)) === trialStatus;
  } catch {
    // The tier reports what the host cannot do.
    return false;
  } finally {
    server.close();
    await rm(output, { force: true });
  }
}

async function trialEnd(backend: IsolationBackend, output: string): Promise<number | undefined> {
  const user = backend.users?.first;
  const options = { id: 'trial', memoryMiB: 64, ephemeralStorageMiB: 16, mounts: [] };
  const sandbox = await SupervisedSandbox.open(
    backend,
    { ...options, network: { kind: 'none' } },
    user,
  );
  try {
    const program = await sandbox.start({
      // It can write to its own /tmp and to nothing else.
      command: ['/bin/sh', '-c', `: >/tmp/trial && exit ${trialStatus}`],
      environment: {},
      directory: '/tmp',
      output,
    });
    const timeout = setTimeout(() => inBackground(program.kill()), trialMilliseconds);
    const end = await program.ended;
    clearTimeout(timeout);
    return end.kind === 'exited' ? end.status : undefined;
  } finally {
    await sandbox.close();
  }
}
