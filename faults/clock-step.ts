import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { type Fault, FaultLog } from './fault.ts';
import { createTestBrowser, type TestBrowser } from '../forge/testing/test-browser.ts';
import { faultLines } from './fault-lines.ts';
import { elapsed, ServerUnderTest } from './server-under-test.ts';

const hour = 3_600_000;
/** Each differs by an hour from the one before. */
const offsets = [hour, 0, -hour, 0];

/** The clock of the server is stepped by an hour under load, forwards and backwards; that of its clients stays. */
export const clockStep: Fault = {
  name: 'clock',
  description: 'the clock of the server is stepped by an hour under load, either way',
  rounds: { whole: 20, short: 4 },
  missing: () => undefined,
  async run({ rounds, say }) {
    const log = new FaultLog();
    const tested = await ServerUnderTest.start({
      nodeFlags: ['--import', join(import.meta.dirname, 'stepped-clock.ts')],
      // Requests that were signed before the step and come after it: signatures are good for five minutes.
      excused: [403],
    });
    const browser = browserOf(tested);
    await browser.signIn(tested.server.login, tested.server.password);
    const observing = new AbortController();
    const observed = observeReadiness(tested, log, observing.signal);
    try {
      for (let round = 0; round < rounds; round += 1) {
        const offset = offsets[round % offsets.length] ?? 0;
        await tested.underLoad(async () => {
          await tested.acknowledge(40);
          await step(tested, offset);
          log.measure('forge answers after (ms)', await tested.untilForgeAnswers());
          log.measure('functions answer after (ms)', await tested.untilFunctionsAnswer());
          await tested.acknowledge(40);
          const { status } = await browser.get('/settings/tokens');
          log.demand(
            status === 200,
            `Round ${round + 1}: a page of the session answered ${status}.`,
          );
        });
        log.lost.push(...(await tested.losses()));
        log.rounds += 1;
        say(`round ${round + 1}: ${tested.acknowledged} acknowledged, ${log.lost.length} lost`);
      }
      for (const event of await tested.functions.repeatedEvents()) {
        log.failures.push(`The event ${event} was run more than once.`);
      }
    } finally {
      observing.abort();
      await observed;
      tested.conclude(log);
      log.notes.push(...faultLines(tested.server.output()));
      await tested.remove();
    }
    const late = log.refused['403'] ?? 0;
    log.demand(late <= rounds * lateRequestsMax, `${late} requests were refused with 403.`);
    return log;
  },
};

/** Of one step: each of the seven parts of the load has one request under way, and may sign another before it has a response. */
const lateRequestsMax = 14;

/** Resolves when the server returns its new time, by which clients sign from then on, as the AWS SDKs do (the Date header). */
async function step({ data, server, functions }: ServerUnderTest, offset: number): Promise<void> {
  await writeFile(join(data, 'clock-offset'), String(offset));
  process.kill(server.pid, 'SIGUSR2');
  const elapsedMilliseconds = await elapsed(async () => {
    const { headers } = await fetch(`${server.url}/readyz`);
    const ahead = Date.parse(headers.get('date') ?? '') - Date.now();
    return Math.abs(ahead - offset) < 60_000;
  });
  if (!Number.isFinite(elapsedMilliseconds))
    throw new Error('The server does not return the new time.');
  functions.client.config.systemClockOffset = offset;
}

/** Asks again and again whether the server is ready, as a load balancer does. */
async function observeReadiness(
  { server }: ServerUnderTest,
  log: FaultLog,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const status = await fetch(`${server.url}/readyz`).then(
      (response) => response.status,
      (error: unknown) => String(error),
    );
    log.demand(status === 200, `/readyz answered ${status}.`);
    await delay(50);
  }
}

function browserOf({ server }: ServerUnderTest): TestBrowser {
  return createTestBrowser({
    anonymous: {
      async send(method, path, { body, headers = {} } = {}) {
        const response = await fetch(`${server.url}${path}`, {
          method,
          headers,
          redirect: 'manual',
          ...(typeof body === 'string' ? { body } : {}),
        });
        const bytes = Buffer.from(await response.arrayBuffer());
        return {
          status: response.status,
          headers: {
            ...Object.fromEntries(response.headers),
            'set-cookie': response.headers.getSetCookie().join(','),
          },
          body: undefined,
          text: bytes.toString(),
          bytes,
        };
      },
    },
  });
}
