/** What metrics, the access log and traces add to the processor time of a GET that the response cache answers (docs/operations.md). */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';

import { type RunningServer, startServer } from '../scenarios/running-server.ts';
import { measure, request, type Shot } from './load.ts';
import { folder, progress } from './server-under-test.ts';
import type { Table } from './table.ts';

/** Servers of each kind, one after the other: what the compiler makes of the same code differs from process to process. */
const starts = 4;
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

/** Servers that differ only in what operators see of them, in turn: what else runs on the machine changes. */
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
    ['nothing', {}],
    // Shows how much two equal servers differ.
    ['nothing, again', {}],
    ['HOB_METRICS', metrics],
    ['HOB_ACCESS_LOG', log],
    ['both', { ...metrics, ...log }],
    ['traces of 1 % of requests', { ...traces, ...sampler }],
    ['all three', { ...metrics, ...log, ...traces, ...sampler }],
    ['traces of all requests', traces],
  ];
  const leasts: number[][] = [];
  try {
    for (let started = 1; started <= starts; started += 1) {
      const name = `observed-${started}`;
      leasts.push(await measureOnce(kinds, name, `${started} of ${starts}`));
    }
  } finally {
    collector.close();
    collector.closeAllConnections();
  }
  const base = median(leasts.map(equalServers));
  table.add('cached GET, without any of them', base, 'us of CPU', '');
  for (const [index, [name]] of kinds.entries()) {
    const ratios = leasts.map((least) => (least[index] ?? Number.NaN) / equalServers(least));
    const aim = index < 2 ? '' : 'at most 1.05';
    if (index > 0) table.add(`  with ${name}`, median(ratios), 'times that', aim);
  }
}

/** Of the two that show nothing. */
const equalServers = ([one = Number.NaN, again = Number.NaN]: readonly number[]): number =>
  (one + again) / 2;

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
}

/** The least time of a server of each kind, in microseconds. */
async function measureOnce(
  kinds: readonly (readonly [string, Record<string, string>])[],
  folderName: string,
  which: string,
): Promise<number[]> {
  const observed: Observed[] = [];
  try {
    for (const [index, [name, environment]] of kinds.entries()) {
      progress(`${which}: a server that shows ${name}`);
      observed.push(await start(join(folder, `${folderName}-${index}`), environment));
    }
    for (let round = 1; round <= rounds; round += 1) {
      progress(`${which}: round ${round} of ${rounds}`);
      for (const { server, shot, times } of observed) {
        times.push(await microseconds(server, shot, measuredMilliseconds));
      }
    }
    return observed.map(({ times }) => Math.min(...times));
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
