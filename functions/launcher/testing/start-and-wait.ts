/** Run as a process of its own: starts a launcher with a long-running program, reports it, and waits to be killed. */
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { startLauncher } from '../supervisor/start-launcher.ts';

const [folder = '', seconds = ''] = process.argv.slice(2);
const output = join(folder, 'output');
const server = createServer((socket) => {
  socket.once('data', () => writeSync(1, 'running\n'));
});
server.listen(output);
await once(server, 'listening');
const launcher = await startLauncher({ folder: join(folder, 'launcher'), log: () => {} });
const sandbox = await launcher.open({
  id: 'one',
  memoryMiB: 64,
  ephemeralStorageMiB: 16,
  mounts: [],
  network: { kind: 'none' },
});
await sandbox.start({
  command: ['/bin/sh', '-c', `(setsid sleep ${seconds} &); echo up; sleep ${seconds}`],
  environment: { PATH: '/usr/bin:/bin' },
  directory: '/tmp',
  output,
});
