import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startServer } from '../scenarios/running-server.ts';
import { measureSlowClients } from '../scenarios/slow-clients.ts';
import { type Fault, FaultLog } from './fault.ts';
import { faultLines } from './fault-lines.ts';

const slow = 300;
const good = 20;
const milliseconds = 10_000;

/** Slow clients hold as many connections as the server allows, while normal clients run. */
export const slowClients: Fault = {
  name: 'slow-clients',
  description: `${slow} clients that send and read a little at a time, while ${good} others run`,
  rounds: { whole: 6, short: 1 },
  missing: () => undefined,
  async run({ rounds, say }) {
    const log = new FaultLog();
    const folder = await mkdtemp(join(tmpdir(), 'hob-slow-clients-'));
    const server = await startServer(join(folder, 'data'), {
      environment: { HOB_POLLING_LIMIT: '0', HOB_RATE_LIMIT_USER: '1000000000' },
    });
    try {
      const report = await measureSlowClients(server, { slow, good, milliseconds, rounds });
      const { alone, withSlow, slowAtOnce, ended } = report;
      log.rounds = rounds;
      log.measure('p99 of the others alone (ms)', alone.p99Milliseconds);
      log.measure('p99 of the others with slow ones (ms)', withSlow.p99Milliseconds);
      log.measure('p50 of the others alone (ms)', alone.p50Milliseconds);
      log.measure('p50 of the others with slow ones (ms)', withSlow.p50Milliseconds);
      log.demand(slowAtOnce === slow, `${slowAtOnce} slow clients were connected at once.`);
      log.demand(withSlow.failures === 0, `${withSlow.failures} requests of others failed.`);
      log.demand(
        withSlow.p99Milliseconds <= 2 * alone.p99Milliseconds,
        `The p99 of the others rose from ${alone.p99Milliseconds} ms to ${withSlow.p99Milliseconds} ms.`,
      );
      const ends = Object.entries(ended).map(([kind, count]) => `${count} × ${kind}`);
      log.notes.push(
        `${alone.responses} answers alone, ${withSlow.responses} with slow clients`,
        `ended by the server: ${ends.join(', ') || 'none'}`,
      );
      say(
        `p99 alone ${alone.p99Milliseconds} ms, with slow clients ${withSlow.p99Milliseconds} ms`,
      );
    } finally {
      log.notes.push(...faultLines(server.output()));
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    }
    return log;
  },
};
