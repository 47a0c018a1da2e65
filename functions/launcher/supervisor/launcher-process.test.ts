import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { LauncherConnection } from './launcher-connection.ts';

describe('the launcher process', () => {
  let folder: string;
  let output: Server;
  let launcher: LauncherConnection;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'launcher-'));
    output = createServer((socket) => socket.resume()).listen(join(folder, 'output'));
    await once(output, 'listening');
    const program = fileURLToPath(new URL('launcher-process.ts', import.meta.url));
    launcher = await LauncherConnection.open(
      [process.execPath, program],
      {
        folder: join(folder, 'launcher'),
        ownFolders: [],
        ownNamespaces: false,
        strongestTier: 'bare',
        without: [],
        service: undefined,
        internet: false,
      },
      () => {},
    );
  });
  after(async () => {
    await launcher.close();
    output.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('forgets a program that has ended', async () => {
    const sandbox = 'one';
    await launcher.ask({
      do: 'open',
      sandbox: {
        id: sandbox,
        memoryMiB: 64,
        ephemeralStorageMiB: 16,
        mounts: [],
        network: { kind: 'host' },
      },
    });
    const { program, ended } = launcher.expectProgram();
    await launcher.ask({
      do: 'start',
      sandbox,
      program,
      spec: {
        command: ['/bin/sh', '-c', 'sleep 60'],
        environment: { PATH: '/usr/bin:/bin' },
        directory: '/tmp',
        output: join(folder, 'output'),
      },
    });
    const peak = async (): Promise<number> =>
      (await launcher.ask({ do: 'peak', program })).value ?? 0;
    assert.ok((await peak()) > 0);
    await launcher.ask({ do: 'kill', program });
    assert.ok(((await ended).peakMemory ?? 0) > 0);
    assert.equal(await peak(), 0);
    await launcher.ask({ do: 'close', sandbox });
  });
});
