/** What metrics, the access log and traces add to the processor time of a GET that the response cache answers (docs/operations.md). */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';

import { type RunningServer, startServer } from '../scenarios/running-server.ts';
import { measure, request, type Shot } from './load.ts';
import { folder, progress } from './server-under-test.ts';
import { median, type Table } from './table.ts';

/**
 * Pairs of each kind: what the compiler makes of the same code differs from process to process. There are no more than two servers at a
 * time, which share the caches of the processor.
 */
const starts = 3;
/** The least of them counts: what else runs on the machine only adds. Short ones, so that some are undisturbed. */
const rounds = 40;
const warmMilliseconds = 2500;
const measuredMilliseconds = 100;
const connections = 8;

interface Observed {
  readonly server: RunningServer;
  readonly shot: Shot;
  readonly times: number[];
}

/** Servers that differ only in what operators see of them, in turn with one that shows nothing: what else runs on the machine changes. */
export async function measureObservation(table: Table): Promise<void> {
  const collector = createServer((received, response) => {
    received.resume().on('end', () => response.end('{}'));
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const address = collector.address();
  if (address === null || typeof address === 'string')
    throw new Error('The collector has no port.');
  const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${address.port}` };
  const sampler = {
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.01',
  };
  const metrics = { HOB_METRICS: 'loopback' };
  const log = { HOB_ACCESS_LOG: 'on' };
  const kinds: readonly (readonly [string, Record<string, string>])[] = [
    // Shows how much two equal servers differ.
    ['nothing', {}],
    ['HOB_METRICS', metrics],
    ['HOB_ACCESS_LOG', log],
    ['both', { ...metrics, ...log }],
    ['traces of 1 % of requests', { ...traces, ...sampler }],
    ['all three', { ...metrics, ...log, ...traces, ...sampler }],
    ['traces of all requests', traces],
  ];
  const bases: number[] = [];
  const ratios = new Map<string, number[]>();
  try {
    for (let started = 1; started <= starts; started += 1) {
      for (const [name, environment] of kinds) {
        progress(`${started} of ${starts}: a server that shows ${name}`);
        const [base, other] = await measurePair(environment);
        bases.push(base);
        ratios.set(name, [...(ratios.get(name) ?? []), other / base]);
      }
    }
  } finally {
    collector.close();
    collector.closeAllConnections();
  }
  table.add('cached GET, without any of them', median(bases), 'us of CPU', '');
  for (const [name, values] of ratios) {
    const aim = name === 'nothing' ? '' : 'at most 1.05';
    table.add(`  with ${name}`, median(values), 'times that', aim);
  }
}

let pairs = 0;

/** The least times of a server that shows nothing, and of one with this environment, in microseconds. */
async function measurePair(environment: Record<string, string>): Promise<[number, number]> {
  const observed: Observed[] = [];
  pairs += 1;
  try {
    for (const [index, each] of [{}, environment].entries()) {
      observed.push(await start(join(folder, `observed-${pairs}-${index}`), each));
    }
    for (let round = 1; round <= rounds; round += 1) {
      for (const { server, shot, times } of observed) {
        times.push(await microseconds(server, shot, measuredMilliseconds));
      }
    }
    const [base = Number.NaN, other = Number.NaN] = observed.map(({ times }) => Math.min(...times));
    return [base, other];
  } finally {
    await Promise.all(observed.map(({ server }) => server.stop()));
  }
}

async function start(dataFolder: string, environment: Record<string, string>): Promise<Observed> {
  const limits = { HOB_RATE_LIMIT_USER: '1000000000', HOB_FUNCTIONS: 'off' };
  const server = await startServer(dataFolder, { environment: { ...limits, ...environment } });
  const headers = { authorization: `token ${server.token}`, 'user-agent': 'hob-bench' };
  const created = await fetch(`${server.url}/api/v3/user/repos`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name: 'seen', auto_init: true }),
  });
  if (created.status !== 201) throw new Error(await created.text());
  const url = new URL(`${server.url}/api/v3/repos/${server.login}/seen`);
  const bytes = request('GET', url, headers);
  const shot = { host: url.hostname, port: Number(url.port), bytes: () => bytes };
  await microseconds(server, shot, warmMilliseconds);
  return { server, shot, times: [] };
}

async function microseconds(
  server: RunningServer,
  shot: Shot,
  milliseconds: number,
): Promise<number> {
  const measured = await measure(shot, server.pid, { connections, milliseconds });
  if (measured.status !== 200) throw new Error(`The server answered ${measured.status}.`);
  return measured.cpuMicroseconds;
}
