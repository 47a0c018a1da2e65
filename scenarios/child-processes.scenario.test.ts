// Runs on SQLite alone: it shows what becomes of processes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { descendants } from '../faults/host.ts';
import { until } from './patience.ts';
import { databaseOf, removeFolder, rootFolder } from './running-server.ts';

const skip = process.platform === 'linux' ? false : 'looks for processes in /proc';

describe('a program that starts servers', { skip }, () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-signals-'));
  });
  after(() => removeFolder(folder));

  for (const [signal, program, ...args] of [
    ['SIGTERM', 'npm', 'start', '--', '--port', '0', '--data', 'data'],
    ['SIGTERM', 'npm', 'run', 'test:scenarios', '--', 'scenarios/kill.scenario'],
    ['SIGTERM', process.execPath, 'faults/run.ts', 'kill-server'],
    ['SIGINT', process.execPath, 'bench/run.ts', 'forge'],
  ] as const) {
    it(`leaves no process behind when ${signal} ends it: ${args.join(' ')}`, async () => {
      const data = join(folder, 'data');
      const command = args.map((word) => (word === 'data' ? data : word));
      const started = spawn(program, command, {
        cwd: rootFolder,
        stdio: 'ignore',
        env: { ...process.env, ...(await databaseOf(data)), TMPDIR: folder },
      });
      const exited = once(started, 'exit');
      const below = (word?: string): number[] => descendants(started.pid ?? 0, word);
      await until(() => (below('hob.ts').length > 0 ? true : undefined), {
        seconds: 60,
        missing: 'a server',
      });
      const pids = below();
      started.kill(signal);
      await exited;
      await until(() => (pids.some(isRunning) ? undefined : true), {
        seconds: 60,
        missing: 'the end of every process',
      });
    });
  }
});

/** A process that has ended and waits for its parent does not count. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
