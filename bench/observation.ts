/** What metrics, the access log and traces add to the processor time of a GET that the response cache answers (docs/operations.md). */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';

import { endWithThisProcess } from '../scenarios/child-processes.ts';
import { measure, request, type Shot } from './load.ts';
import { folder, progress } from './server-under-test.ts';
import { median, type Table } from './table.ts';

/** Processes of each kind: what the compiler makes of the same code differs from one to the next. */
const starts = 2;
/** The least of them counts: what else runs on the machine only adds. Short ones, so that some are undisturbed. */
const rounds = 25;
const warmMilliseconds = 1500;
const measuredMilliseconds = 100;
const connections = 8;

/**
 * Two servers of one process that differ only in what operators see of them, in turn: what else runs on the machine changes, and two
 * processes differ by more than most of this costs.
 */
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
        progress(`${started} of ${starts}: ${name}`);
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
  pairs += 1;
  const { child, urls } = await startPair(join(folder, `observed-${pairs}`), environment);
  try {
    const shots = await Promise.all(urls.map(makeShot));
    const times = shots.map((): number[] => []);
    for (const shot of shots) await microseconds(shot, child, warmMilliseconds);
    for (let round = 1; round <= rounds; round += 1) {
      for (const [index, shot] of shots.entries()) {
        times[index]?.push(await microseconds(shot, child, measuredMilliseconds));
      }
    }
    const [base = Number.NaN, other = Number.NaN] = times.map((each) => Math.min(...each));
    return [base, other];
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
}

const login = 'root';
const token = 'a-known-token-for-a-benchmark';

async function startPair(
  dataFolder: string,
  environment: Record<string, string>,
): Promise<{ child: ChildProcess; urls: readonly string[] }> {
  const program = join(import.meta.dirname, 'observed-servers.ts');
  const child = spawn(process.execPath, [program, dataFolder, JSON.stringify(environment)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      HOB_ADMIN_LOGIN: login,
      HOB_ADMIN_TOKEN: token,
      HOB_FUNCTIONS: 'off',
      HOB_RATE_LIMIT_USER: '1000000000',
    },
  });
  endWithThisProcess(child);
  let text = '';
  let urls: readonly string[] = [];
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    urls = [...text.matchAll(/Hob is ready at (\S+)\n/g)].flatMap(([, url]) => url ?? []);
    if (urls.length === 2) break;
  }
  if (urls.length < 2) throw new Error(`The servers did not start:\n${text}`);
  // Of the access log.
  child.stdout.resume();
  return { child, urls };
}

async function makeShot(url: string): Promise<Shot> {
  const headers = { authorization: `token ${token}`, 'user-agent': 'hob-bench' };
  const created = await fetch(`${url}/api/v3/user/repos`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name: 'seen', auto_init: true }),
  });
  if (created.status !== 201) throw new Error(await created.text());
  const repository = new URL(`${url}/api/v3/repos/${login}/seen`);
  const bytes = request('GET', repository, headers);
  return { host: repository.hostname, port: Number(repository.port), bytes: () => bytes };
}

async function microseconds(
  shot: Shot,
  child: ChildProcess,
  milliseconds: number,
): Promise<number> {
  const measured = await measure(shot, child.pid ?? 0, { connections, milliseconds });
  if (measured.status !== 200) throw new Error(`The server answered ${measured.status}.`);
  return measured.cpuMicroseconds;
}
