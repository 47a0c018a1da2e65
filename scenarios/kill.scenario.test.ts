import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { ForgeLoad } from './forge-load.ts';
import { until } from './patience.ts';
import { removeFolder, type RunningServer, startServer } from './running-server.ts';

/** More cycles find rarer crashes: `HOB_KILL_CYCLES=300 npm test -- scenarios/kill`. */
const cycles = Number(process.env['HOB_KILL_CYCLES'] ?? 5);
/** A busy host takes a minute for what an idle one does in five seconds. */
const timeout = (1 + cycles) * 120_000;

describe('a server that is killed', () => {
  const environment = { HOB_RATE_LIMIT_USER: '1000000' };

  let folder: string;
  let server: RunningServer;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-kill-'));
    server = await startServer(join(folder, 'data'), { environment });
  });
  after(async () => {
    const status = await server.stop();
    await removeFolder(folder);
    assert.equal(status, 0, server.output());
  });

  test(
    `${cycles} kills lose nothing that was acknowledged and leave no half merge`,
    { timeout },
    async (context) => {
      const load = new ForgeLoad({ target: () => server, folder });
      await load.prepare();
      const { acknowledged } = load;
      for (let cycle = 1; cycle <= cycles; cycle += 1) {
        const ending = new AbortController();
        const work = load.run(ending.signal);
        const enough = acknowledged.statuses.length + 20 + Math.floor(Math.random() * 200);
        await until(() => acknowledged.statuses.length >= enough || undefined, { seconds: 60 });
        await server.kill();
        ending.abort();
        await work;
        const started = performance.now();
        server = await startServer(join(folder, 'data'), { environment });
        // The test has failed meanwhile, and no one else knows this one.
        if (context.signal.aborted) await server.kill();
        const milliseconds = Math.round(performance.now() - started);
        context.diagnostic(`cycle ${cycle}: ready again after ${milliseconds} ms`);
        assert.deepEqual(await load.losses(), [], server.output());
      }
      assert.deepEqual(load.report.unexpected, []);
      const { statuses, repositories, pushes, merges } = acknowledged;
      context.diagnostic(
        `${statuses.length} statuses, ${repositories.length} repositories, ${pushes.length} pushes and ` +
          `${merges.length} merges were acknowledged; none was lost`,
      );
    },
  );
});
