import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import type { Isolation } from '#functions/launcher/isolation.ts';
import { noInvocations } from '#functions/environments/pool/invocation-recorder.ts';
import { recordName, setsFolder } from '#functions/runtimes/runtime-packages.ts';
import type { InstalledRuntimes } from '#functions/runtimes/runtimes.ts';
import { systemClock } from '#platform/clock.ts';
import type { Database } from '#platform/database/database.ts';
import { TaskRuns } from '#platform/task-runs.ts';
import { openTestDatabase } from '#platform/testing/test-database.ts';

import { serverStatus } from './server-status.ts';

describe('what site administrators see of the host', () => {
  let database: Database;
  let folder: string;

  before(async () => {
    database = await openTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'hob-status-'));
  });
  after(async () => {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  function linesOf(
    packaged: InstalledRuntimes['packaged'],
    network: 'host' | 'internet' = 'host',
  ): Promise<readonly string[]> {
    const installed: InstalledRuntimes = {
      interpreters: [{ language: 'python', path: '/usr/bin/python3.13', version: '3.13' }],
      ownNode: { language: 'node', path: '/opt/node', version: '26.1.0' },
      overrides: {},
      clients: '/clients',
      packaged: packaged ?? {},
    };
    const status = serverStatus(
      {
        settingsInForce: [],
        settings: { functions: { network } },
        processes: { functions: { start: { folder } } },
      },
      {
        database,
        taskRuns: new TaskRuns(systemClock),
        functions: {
          isolation: Promise.resolve(isolation),
          runtimes: async () => installed,
          storage: () => assert.fail('not asked for'),
          retryQueue: () => assert.fail('not asked for'),
          statistics: {
            invocations: noInvocations(),
            environments: () => assert.fail('not asked for'),
            queues: async () => [],
          },
        },
      },
    );
    return status.host();
  }

  it('names the runtimes that run, and why others do not', async () => {
    const lines = await linesOf(undefined);
    assert.match(lines[0] ?? '', /^Isolation: user/);
    assert.ok(lines.some((line) => /^ {2}python3\.13 +Python 3\.13/.test(line)));
    assert.ok(lines.some((line) => /^ {2}java21 +not available/.test(line)));
    assert.ok(lines.includes('Packages of runtimes:'));
    assert.match(lines.at(-1) ?? '', /no AWS SDK: hob runtimes add python/);
  });

  it('says of the internet only where functions have it', async () => {
    const reports = (lines: readonly string[]): boolean =>
      lines.some((line) => line.startsWith('  internet'));
    assert.equal(reports(await linesOf(undefined)), false);
    assert.equal(reports(await linesOf(undefined, 'internet')), true);
  });

  it('says of packages that were added since the start that functions do not have them yet', async () => {
    const set = join(setsFolder(folder, 'nodejs'), '1');
    await mkdir(set, { recursive: true });
    await writeFile(join(set, recordName), '{"@aws-sdk/client-s3":"3.1.0"}');
    const atStart = await linesOf(undefined);
    assert.deepEqual(atStart.slice(-2), [
      '  nodejs, when the server is restarted',
      '    @aws-sdk/client-s3 3.1.0',
    ]);
    const since = await linesOf({ nodejs: set });
    assert.deepEqual(since.slice(-2), ['  nodejs', '    @aws-sdk/client-s3 3.1.0']);
  });
});

const full = { strength: 'full', by: 'the kernel' } as const;

const isolation: Isolation = {
  tier: 'user',
  enforced: {
    timeout: full,
    memory: full,
    cpu: full,
    'temporary-storage': full,
    files: full,
    network: full,
    user: full,
    'system-calls': full,
    processes: full,
  },
};
