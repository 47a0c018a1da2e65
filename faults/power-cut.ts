import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { git } from '../scenarios/git-client.ts';
import { type Fault, FaultLog } from './fault.ts';
import { LoopDisk, missingForDisks, tracesOf } from './host.ts';
import { elapsed, ServerUnderTest } from './server-under-test.ts';

const diskMebibytes = 4096;

/**
 * The file system of the data folder stops without writing anything back, as in a cut of power, and is mounted again. A disk
 * that says it has written what it has not is not part of this.
 */
export const powerCut: Fault = {
  name: 'power-cut',
  description: 'the file system of the data folder ends under load without flushing anything',
  rounds: { whole: 20, short: 1 },
  missing: missingForDisks,
  async run({ rounds, say }) {
    const log = new FaultLog();
    const folder = await mkdtemp(join(tmpdir(), 'hob-power-cut-'));
    const disk = new LoopDisk(join(folder, 'disk'), join(folder, 'image'), diskMebibytes);
    // Between the cut and the kill everything fails, as it may.
    const tested = await ServerUnderTest.start({ disk: disk.folder, excused: [500, 503, 507] });
    try {
      for (let round = 1; round <= rounds; round += 1) {
        await tested.underLoad(async () => {
          await tested.acknowledge(40 + Math.trunc(Math.random() * 100));
          disk.cutPower();
          await tested.server.kill();
        });
        const ended = await elapsed(async () => tracesOf(tested.data).length === 0, 30);
        if (ended === Number.POSITIVE_INFINITY) log.leftBehind.push(...tracesOf(tested.data));
        disk.unmount();
        disk.mount();
        const started = performance.now();
        await tested.startServer();
        log.measure('ready after (ms)', performance.now() - started);
        log.lost.push(...(await tested.losses()), ...(await damage(tested.data)));
        log.rounds += 1;
        say(`round ${round}: ${tested.acknowledged} acknowledged, ${log.lost.length} lost`);
      }
    } finally {
      tested.conclude(log);
      await tested.remove();
      disk.remove();
      await rm(folder, { recursive: true, force: true });
    }
    return log;
  },
};

/** What git and SQLite find wrong in the files themselves. */
async function damage(data: string): Promise<string[]> {
  const found: string[] = [];
  const database = new DatabaseSync(join(data, 'hob.sqlite'), { readOnly: true });
  const [check] = database.prepare('pragma integrity_check').all();
  database.close();
  if (check?.['integrity_check'] !== 'ok') found.push(`the database: ${JSON.stringify(check)}`);
  const root = join(data, 'repositories', 'repositories');
  const repositories = readdirSync(root).flatMap((part) =>
    readdirSync(join(root, part)).map((name) => join(root, part, name)),
  );
  // All of them in each round would take most of the time.
  for (const repository of repositories.slice(-20)) {
    await git(repository, 'fsck', '--strict', '--no-dangling').catch((error: unknown) => {
      found.push(`git fsck in ${repository}: ${Object(error).stderr ?? String(error)}`);
    });
  }
  return found;
}
