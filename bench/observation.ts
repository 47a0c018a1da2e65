/** What metrics, the access log and traces add to the processor time of a GET that the response cache answers (docs/operations.md). */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';

import { type RunningServer, startServer } from '../scenarios/running-server.ts';
import { measure, request, type Shot } from './load.ts';
import { folder, progress } from './server-under-test.ts';
import type { Table } from './table.ts';

/** The least of them counts: what else runs on the machine only adds. */
const rounds = 16;
const warmMilliseconds = 3000;
const measuredMilliseconds = 1000;
const connections = 8;

/** Shows how much two equal servers differ. */
const again = 'nothing, again';

interface Observed {
  readonly name: string;
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
    [again, {}],
    ['HOB_METRICS', metrics],
    ['HOB_ACCESS_LOG', log],
    ['both', { ...metrics, ...log }],
    ['traces of 1 % of requests', { ...traces, ...sampler }],
    ['all three', { ...metrics, ...log, ...traces, ...sampler }],
    ['traces of all requests', traces],
  ];
  const observed: Observed[] = [];
  try {
    for (const [index, [name, environment]] of kinds.entries()) {
      progress(`a server that shows ${name}`);
      observed.push(await start(name, join(folder, `observed-${index}`), environment));
    }
    for (let round = 1; round <= rounds; round += 1) {
      progress(`what operators see: ${round} of ${rounds}`);
      for (const { server, shot, times } of observed) {
        times.push(await microseconds(server, shot, measuredMilliseconds));
      }
    }
    const [base = 0] = observed.map(leastOf);
    table.add('cached GET, without any of them', base, 'us of CPU', '');
    for (const other of observed.slice(1)) {
      const aim = other.name === again ? '' : 'at most 1.05';
      table.add(`  with ${other.name}`, leastOf(other) / base, 'times that', aim);
    }
  } finally {
    await Promise.all(observed.map(({ server }) => server.stop()));
    collector.close();
    collector.closeAllConnections();
  }
}

const leastOf = ({ times }: Observed): number => Math.min(...times);

async function start(
  name: string,
  dataFolder: string,
  environment: Record<string, string>,
): Promise<Observed> {
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
  return { name, server, shot, times: [] };
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
