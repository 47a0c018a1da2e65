import assert from 'node:assert/strict';
import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { testPostgresUrl } from '#platform/testing/test-postgres.ts';

import {
  emptyDatabaseOf,
  removeFolder,
  type RunningServer,
  startServer,
} from './running-server.ts';

const skip = testPostgresUrl === undefined ? 'is of PostgreSQL' : false;

describe('two servers on one database', { skip, timeout: 240_000 }, () => {
  let folder: string;
  let database: Record<string, string>;
  const servers: RunningServer[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-two-'));
    database = await emptyDatabaseOf(folder);
  });
  after(async () => {
    for (const server of servers) await server.kill();
    await removeFolder(folder);
  });

  async function start(name: string): Promise<RunningServer> {
    const server = await startServer(join(folder, name), { environment: database });
    servers.push(server);
    return server;
  }

  it('are one: the second says which the first is, and takes over when that is dead or stopped', async () => {
    const one = await start('one');
    await assert.rejects(
      start('two'),
      new RegExp(`process ${one.pid}" uses this database\\. One server at a time can`),
    );
    await one.kill();
    // The repositories and the keys, as on storage that another machine has now.
    await cp(join(folder, 'one'), join(folder, 'two'), {
      recursive: true,
      // The launcher of the killed server is removing what it made.
      filter: (path) => !/\/(?:server-id|sockets|launcher)$/.test(path),
    });
    const two = await start('two');
    assert.equal((await fetch(`${two.url}/readyz`)).status, 200);
    assert.equal(await two.stop(), 0);
    const again = await start('one');
    assert.equal((await fetch(`${again.url}/readyz`)).status, 200);
  });
});
