import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { testPostgresUrl } from '#platform/testing/test-postgres.ts';

import { removeFolder, type RunningServer, startServer } from './running-server.ts';
import { measureSlowClients, type SlowClientsReport } from './slow-clients.ts';

/** What a busy machine adds to the slowest of so few responses. */
const allowedMilliseconds = 100;

// What it takes a minute to show is of connections.
const skip = testPostgresUrl === undefined ? false : 'does not depend on the database';

describe('a server with many slow clients', { skip }, () => {
  let folder: string;
  let server: RunningServer;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-slow-clients-'));
    server = await startServer(join(folder, 'data'), {
      environment: { HOB_POLLING_LIMIT: '0', HOB_RATE_LIMIT_USER: '1000000' },
    });
  });
  after(async () => {
    assert.equal(await server.stop(), 0, server.output());
    await removeFolder(folder);
  });

  it('answers the others as soon as it does without them', async () => {
    const options = { slow: 70, good: 5, milliseconds: 1000, rounds: 2 };
    const reports: SlowClientsReport[] = [];
    // The slowest of a hundred answers is the machine's as often as ours: what slow clients cost shows every time.
    do {
      const report = await measureSlowClients(server, options);
      assert.equal(report.slowAtOnce, 70);
      assert.equal(report.withSlow.failures, 0);
      reports.push(report);
    } while (reports.length < 3 && !reports.some(isUnharmed));
    assert.ok(reports.some(isUnharmed), JSON.stringify(reports));
  });

  function isUnharmed({ alone, withSlow }: SlowClientsReport): boolean {
    return withSlow.p99Milliseconds <= 2 * alone.p99Milliseconds + allowedMilliseconds;
  }
});
