import { globSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';

import { atExit } from '../scenarios/child-processes.ts';
import { startPostgres } from '../scripts/private-postgres.ts';
import { type Fault, FaultLog } from './fault.ts';
import { faultLines } from './fault-lines.ts';
import { has } from './host.ts';
import { ServerUnderTest } from './server-under-test.ts';

const outageMilliseconds = 3000;

/** PostgreSQL ends under load, alternately by a clean stop and by a crash, and starts again. */
export const postgresOutage: Fault = {
  name: 'postgres-outage',
  description: 'PostgreSQL is stopped or crashes under load, and comes back',
  rounds: { whole: 20, short: 2 },
  missing: () =>
    has('pg_ctl') || globSync('/usr/lib/postgresql/*/bin/pg_ctl').length > 0
      ? undefined
      : 'needs PostgreSQL',
  async run({ rounds, say }) {
    const log = new FaultLog();
    const postgres = startPostgres('durable');
    const takeBack = atExit(() => postgres.stop());
    const tested = await ServerUnderTest.start({
      environment: { DATABASE_URL: postgres.url },
      excused: [503],
    });
    try {
      for (let round = 1; round <= rounds; round += 1) {
        await tested.underLoad(async () => {
          await tested.acknowledge(60);
          postgres.halt(round % 2 === 0 ? 'immediate' : 'fast');
          await readMeanwhile(tested, log);
          await delay(outageMilliseconds);
          postgres.resume();
          log.measure('forge answers after (ms)', await tested.untilForgeAnswers());
          log.measure('functions answer after (ms)', await tested.untilFunctionsAnswer());
          await tested.acknowledge(30);
        });
        log.lost.push(...(await tested.losses()));
        log.rounds += 1;
        say(`round ${round}: ${tested.acknowledged} acknowledged, ${log.lost.length} lost`);
      }
    } catch (error) {
      const status = tested.server.output().split('\n').slice(-20).join('\n');
      throw new Error(`The run broke off; the server said last:\n${status}`, { cause: error });
    } finally {
      tested.conclude(log);
      log.notes.push(...faultLines(tested.server.output()));
      await tested.remove();
      postgres.stop();
      takeBack();
    }
    return log;
  },
};

/** Clients are asked to retry. */
async function readMeanwhile(
  { forge, functions, server }: ServerUnderTest,
  log: FaultLog,
): Promise<void> {
  for (const [method, path] of [
    ['GET', `/repos/${server.login}/work`],
    ['POST', '/user/repos'],
  ] as const) {
    const body = method === 'POST' ? { name: 'meanwhile' } : undefined;
    const response = await forge.api(method, path, body);
    log.demand(
      response.status === 503 && response.headers.get('retry-after') !== null,
      `${method} ${path} was answered with ${response.status}: ${response.body?.message}`,
    );
  }
  const FunctionName = [...functions.acknowledged.created][0] ?? '';
  const status = await functions.client
    .send(new GetFunctionConfigurationCommand({ FunctionName }))
    .then(
      () => 200,
      (error: unknown) => Object(error).$metadata?.httpStatusCode,
    );
  log.demand(status === 503, `GetFunctionConfiguration was answered with ${status}`);
}
