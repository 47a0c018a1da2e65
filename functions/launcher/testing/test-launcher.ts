/** A launcher for tests, with what its programs printed. */
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';

import type { Launcher, Sandbox, SandboxSpec, Program, ProgramEnd } from '../launcher.ts';
import { startLauncher } from '../supervisor/start-launcher.ts';
import type { LauncherSettings } from '../supervisor/start-launcher.ts';

export interface TestLauncher {
  readonly launcher: Launcher;
  /** A folder of the host that is removed with the launcher. */
  readonly folder: string;
  /** A sandbox of 64 MiB with a `/tmp` of 16 MiB by default. */
  open(options?: Partial<SandboxSpec>): Promise<Sandbox>;
  program(script: string, more?: Partial<Program>): Program;
  /** Runs a script of the shell to its end. */
  run(sandbox: Sandbox, script: string, more?: Partial<Program>): Promise<Ran>;
  /** Resolves, with all that was printed, when a program has printed something that has this text. */
  printed(text: string | RegExp): Promise<string>;
  close(): Promise<void>;
}

export interface Ran {
  readonly end: ProgramEnd;
  readonly output: string;
}

let sandboxes = 0;

export async function startTestLauncher(
  settings: Partial<LauncherSettings> = {},
): Promise<TestLauncher> {
  const folder = await mkdtemp(join(tmpdir(), 'launcher-'));
  await chmod(folder, 0o711);
  await mkdir(join(folder, 'launcher'), { mode: 0o711 });
  const outputPath = join(folder, 'output');
  let output = '';
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      server.emit('printed');
    });
    socket.once('close', () => {
      sockets.delete(socket);
      server.emit('closed');
    });
  });
  server.listen(outputPath);
  await once(server, 'listening');
  const launcher = await startLauncher({
    folder: join(folder, 'launcher'),
    log: () => {},
    ...settings,
  });

  async function allClosed(): Promise<void> {
    if (sockets.size === 0) return;
    await once(server, 'closed');
    await allClosed();
  }

  function program(script: string, more: Partial<Program> = {}): Program {
    return {
      command: ['/bin/sh', '-c', script],
      environment: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' },
      directory: '/tmp',
      output: outputPath,
      ...more,
    };
  }

  return {
    launcher,
    folder,
    open(options = {}) {
      sandboxes += 1;
      return launcher.open({
        id: `sandbox${sandboxes}`,
        memoryMiB: 64,
        ephemeralStorageMiB: 16,
        mounts: [],
        network: { kind: 'none' },
        ...options,
      });
    },
    program,
    async run(sandbox, script, more) {
      output = '';
      const running = await sandbox.start(program(script, more));
      const end = await running.ended;
      // The launcher connected before the program began; the end may be read before that connection is accepted.
      await turn();
      await turn();
      await allClosed();
      return { end, output };
    },
    async printed(text) {
      while (typeof text === 'string' ? !output.includes(text) : !text.test(output)) {
        await once(server, 'printed');
      }
      return output;
    },
    async close() {
      await launcher.close();
      server.close();
      // A program that a failed test left behind must not hold the test process open.
      for (const socket of sockets) socket.destroy();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
