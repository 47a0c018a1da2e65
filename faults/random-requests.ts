import { Agent, request } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import * as fc from 'fast-check';

import { functionEnvironment, invokeBy } from '../scenarios/function-service.ts';
import { type RunningServer, startServer } from '../scenarios/running-server.ts';
import { type Fault, FaultLog } from './fault.ts';
import { faultLines } from './fault-lines.ts';
import type { RandomRequest, Route } from './random-route.ts';
import { allRoutes } from './random-routes.ts';
import { prepareTargets, type Targets } from './random-targets.ts';

const requestsPerRound = 1000;
const concurrency = 8;
/** After which a request hangs. */
const patienceMilliseconds = 60_000;

/** Every route of both services, and every protocol that they speak over HTTP, gets requests with invalid values. */
export const randomRequests: Fault = {
  name: 'random-requests',
  description: `${requestsPerRound} random requests to the routes of both services`,
  rounds: { whole: 100, short: 1 },
  missing: () => undefined,
  async run({ rounds, seed, say }) {
    const log = new FaultLog();
    const folder = await mkdtemp(join(tmpdir(), 'hob-random-requests-'));
    const server = await startServer(join(folder, 'data'), {
      environment: {
        ...functionEnvironment,
        HOB_ALLOW_UNSIGNED: 'on',
        HOB_POLLING_LIMIT: '0',
        HOB_RATE_LIMIT_USER: '1000000000',
        HOB_RATE_LIMIT_ANONYMOUS: '1000000000',
      },
    });
    const responses = new Map<string, number>();
    try {
      const routes = await allRoutes();
      for (let round = 0; round < rounds; round += 1) {
        const targets = await prepareTargets(server);
        const requests = sample(routes, targets, round, seed);
        await withWorkers(requests, (each) => ask(server, each, responses, log));
        log.demand(await stillServes(server, targets), `The server is gone after round ${round}.`);
        log.rounds += 1;
        log.acknowledged = [...responses.values()].reduce((one, other) => one + other, 0);
        say(
          `round ${round + 1}: ${log.acknowledged} answered, ${log.unexpected.length} unexpected`,
        );
      }
      noteAnswers(log, responses);
    } finally {
      log.notes.push(`seed ${seed}`);
      log.unexpected.push(...faultLines(server.output()));
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    }
    return log;
  },
};

/** The requests of a round: each route in turn, so that all come up equally often. */
function sample(
  routes: readonly Route[],
  targets: Targets,
  round: number,
  seed: number,
): RandomRequest[] {
  const first = round * requestsPerRound;
  const counts = new Map<number, number>();
  for (let index = first; index < first + requestsPerRound; index += 1) {
    const route = index % routes.length;
    counts.set(route, (counts.get(route) ?? 0) + 1);
  }
  return [...counts].flatMap(([index, numRuns]) => {
    const route = routes[index];
    return route ? fc.sample(route(targets), { seed: seed + first + index, numRuns }) : [];
  });
}

async function withWorkers<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

async function ask(
  { url }: RunningServer,
  requested: RandomRequest,
  responses: Map<string, number>,
  log: FaultLog,
): Promise<void> {
  const { status, text } = await answerTo(url, requested);
  const kind = `${status}`;
  responses.set(kind, (responses.get(kind) ?? 0) + 1);
  const isRefusal = typeof status === 'number' && status < 500;
  // The services' own responses to a broken archive, and to operations that do not exist; nothing else is a fault.
  if (isRefusal || text.includes('InvalidZipFile') || status === 501) return;
  log.unexpected.push(
    `${status} to ${requested.name} ${requested.method} ${requested.target.slice(0, 200)} ${String(requested.body ?? '').slice(0, 300)}: ${text.slice(0, 300)}`,
  );
}

const agent = new Agent({ keepAlive: true, maxSockets: concurrency });

function answerTo(
  url: string,
  { method, target, headers, body }: RandomRequest,
): Promise<{ status: number | string; text: string }> {
  return new Promise((resolve) => {
    const fail = (error: Error): void => resolve({ status: 'no answer', text: String(error) });
    const { hostname, port } = new URL(url);
    const sent = request(
      {
        agent,
        hostname,
        port,
        method,
        path: target.replaceAll(/[^\x21-\xff]/g, encodeURIComponent),
        headers: { ...headers, 'content-length': Buffer.byteLength(body ?? '') },
        timeout: patienceMilliseconds,
      },
      (response) => {
        const resolveWith = (text: string): void =>
          resolve({ status: response.statusCode ?? 0, text });
        // It ends with its reader.
        if (/event-?stream/.test(response.headers['content-type'] ?? '')) {
          sent.destroy();
          return resolveWith('');
        }
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', fail);
        response.on('end', () =>
          resolveWith(
            `${String(response.headers['x-amzn-errortype'] ?? '')} ${Buffer.concat(chunks).toString()}`,
          ),
        );
      },
    );
    sent.on('timeout', () => sent.destroy(new Error('timed out')));
    sent.on('error', fail);
    sent.end(body);
  });
}

async function stillServes(server: RunningServer, targets: Targets): Promise<boolean> {
  try {
    process.kill(server.pid, 0);
    const { status } = await fetch(`${server.url}/readyz`);
    const { error } = await invokeBy(targets.client, targets.aliveFunction);
    return status === 200 && error === undefined;
  } catch {
    return false;
  }
}

function noteAnswers(log: FaultLog, responses: ReadonlyMap<string, number>): void {
  const counted = [...responses].toSorted(([one], [other]) => one.localeCompare(other));
  log.notes.push(`answers: ${counted.map(([status, count]) => `${count} × ${status}`).join(', ')}`);
}
