import { type Fault, FaultLog } from './fault.ts';
import { faultLines } from './fault-lines.ts';
import { keysIn, missingForRedis, startRedis } from './redis-server.ts';
import { elapsed, freePort, ServerUnderTest } from './server-under-test.ts';

/** Redis is killed under load and comes back empty. The server counts alone meanwhile: no request is refused. */
export const redisOutage: Fault = {
  name: 'redis-outage',
  description: 'Redis is killed under load, and comes back',
  rounds: { whole: 20, short: 1 },
  missing: missingForRedis,
  async run({ rounds, say }) {
    const log = new FaultLog();
    const port = await freePort();
    let redis = await startRedis(port);
    const tested = await ServerUnderTest.start({
      environment: { HOB_REDIS_URL: `redis://127.0.0.1:${port}` },
    });
    try {
      for (let round = 1; round <= rounds; round += 1) {
        await tested.underLoad(async () => {
          await tested.acknowledge(40);
          log.demand((await keysIn(port)) > 0, 'Nothing was counted in Redis.');
          redis.kill('SIGKILL');
          log.measure('forge answers after (ms)', await tested.untilForgeAnswers());
          await tested.acknowledge(40);
          redis = await startRedis(port);
          const counted = await elapsed(async () => (await keysIn(port)) > 0, 30);
          log.measure('counted in Redis again after (ms)', counted);
          log.demand(Number.isFinite(counted), 'Redis was not used again.');
        });
        log.lost.push(...(await tested.losses()));
        log.rounds += 1;
        say(`round ${round}: ${tested.acknowledged} acknowledged, ${log.lost.length} lost`);
      }
    } finally {
      tested.conclude(log);
      log.notes.push(...faultLines(tested.server.output()));
      await tested.remove();
      redis.kill('SIGKILL');
    }
    return log;
  },
};
