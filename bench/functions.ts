/** The function service: what a call costs, what a start costs, and what an idle environment costs. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

import {
  CreateFunctionCommand,
  type LambdaClient,
  type Runtime,
  UpdateFunctionConfigurationCommand,
  waitUntilFunctionActiveV2,
  waitUntilFunctionUpdatedV2,
} from '@aws-sdk/client-lambda';

import {
  clientOf,
  functionEnvironment,
  functionOf,
  invokeBy,
} from '../scenarios/function-service.ts';
import { startServer } from '../scenarios/running-server.ts';
import { childrenOf, proportionalMebibytes } from './memory.ts';
import { type Load, loadAt, startBareRelayAt } from './loads.ts';
import { folder, progress, server, timed } from './server-under-test.ts';
import { signedHeaders } from './signed.ts';
import { median, type Table } from './table.ts';

const client = clientOf(server.url);
const patience = { client, maxWaitTime: 60, minDelay: 0.02, maxDelay: 0.1 };

interface Language {
  readonly name: string;
  readonly runtime: Runtime;
  readonly files: Readonly<Record<string, string>>;
  /** The interpreter with nothing to do. */
  readonly bare: readonly [string, ...string[]];
}

const languages: readonly Language[] = [
  {
    name: 'node',
    runtime: 'nodejs24.x',
    files: {
      'index.mjs': `export const handler = ({ sleep = 0 }) => {
        const began = Date.now();
        return sleep === 0 ? Promise.resolve({ began }) : new Promise((resolve) => setTimeout(resolve, sleep, { began }));
      };`,
    },
    bare: [process.execPath, '-e', '0'],
  },
  {
    name: 'python',
    runtime: 'python3.13',
    files: {
      'index.py': `import time
def handler(event, context):
    began = time.time() * 1000
    time.sleep(event.get("sleep", 0) / 1000)
    return {"began": began}
`,
    },
    // A wrapper on the path would be measured instead of the interpreter.
    bare: [await printed('python3', '-c', 'import sys; print(sys.executable)'), '-c', 'pass'],
  },
];

export async function measureFunctions(table: Table): Promise<void> {
  for (const language of languages) {
    progress(`functions: ${language.name}`);
    await create(language.name, language.files, { Runtime: language.runtime });
    await measureInvoke(table, language.name);
    await measureStart(table, language);
  }
  await measureListener(table);
  await measureUpdates(table);
  await measureStored(table);
  client.destroy();
}

async function create(
  name: string,
  files: Language['files'],
  settings: object,
  at = client,
): Promise<void> {
  await at.send(new CreateFunctionCommand(functionOf(name, files, settings)));
  await waitUntilFunctionActiveV2({ ...patience, client: at }, { FunctionName: name });
}

function targetOf(name: string): URL {
  return new URL(`${server.url}/2015-03-31/functions/${name}/invocations`);
}

function load(name: string, connections: number): Promise<Load> {
  const url = targetOf(name);
  return loadAt('POST', url, server.pid, {
    connections,
    headers: signedHeaders('POST', url, '{}'),
    body: () => '{}',
  });
}

/**
 * At one caller the round trip counts, at sixteen what a core carries. The floor is a bare server that makes one round trip to
 * a waiting process, so that runs of two machines can be compared.
 */
async function measureInvoke(table: Table, name: string): Promise<void> {
  const url = targetOf(name);
  const bare = await startBareRelayAt('POST', url, signedHeaders('POST', url, '{}'), '{}');
  const before = await programsOf();
  try {
    for (const connections of [1, 16]) {
      const callers = connections === 1 ? '1 caller' : `${connections} callers`;
      const aim = connections === 1 ? 'p50 ≤ 0.25 ms' : '';
      const loaded = await load(name, connections);
      const yardstick = await bare.loadAt('POST', url, { connections, body: () => '{}' });
      const label = `invoke a no-op ${name} function, ${callers}`;
      table.compare(label, loaded, yardstick, aim);
      if (connections === 1) continue;
      // The functions' own programs and the callers share the machine with the server.
      const perCore = 1e6 / loaded.loaded.cpuMicroseconds;
      table.add('  what a core of the server carries', perCore, 'a second', 'at least 7000');
    }
  } finally {
    bare.end();
  }
  const parked = (await programsOf()).filter((pid) => !before.includes(pid));
  const mebibytes = await Promise.all(parked.map(proportionalMebibytes));
  const sum = mebibytes.reduce((one, other) => one + other, 0);
  table.add(`a parked ${name} environment, of ${parked.length}`, sum / parked.length, 'MiB', '');
}

/** Every call finds the environments before it busy, so that one is started for it. */
async function measureStart(table: Table, { name, runtime, files, bare }: Language): Promise<void> {
  const cold = `${name}-cold`;
  await create(cold, files, { Runtime: runtime });
  const starts: number[] = [];
  const spawns: number[] = [];
  const [command, ...args] = bare;
  const calls: Promise<unknown>[] = [invokeBy(client, cold, { sleep: 2500 })];
  for (let round = 0; round < 5; round += 1) {
    await delay(50);
    spawns.push(await timed(() => promisify(execFile)(command, args)));
    calls.push(coldStart(client, cold, 1500).then((took) => starts.push(took)));
    await delay(400);
  }
  await Promise.all(calls);
  table.add(
    `cold start, ${name} (${median(starts).toFixed(0)} ms) against the interpreter alone`,
    median(starts) / median(spawns),
    'times its time',
    'at most 1.3',
  );
}

/** From the call until the handler begins, while all environments are busy; its own then is for so long. */
async function coldStart(at: LambdaClient, name: string, sleep: number): Promise<number> {
  const sent = Date.now();
  const { value } = await invokeBy(at, name, { sleep });
  return value.began - sent;
}

/** What it costs a cold start that programs find the server inside their sandboxes: two servers in turn. */
async function measureListener(table: Table): Promise<void> {
  progress('functions: the listener of sandboxes');
  const closed = await startServer(join(folder, 'closed'), {
    environment: { ...functionEnvironment, HOB_FUNCTION_FORGE: 'off' },
  });
  const without = clientOf(closed.url);
  try {
    const name = 'listener';
    const sides = [client, without];
    const starts: Promise<number>[][] = [[], []];
    for (const at of sides) await create(name, languages[0]?.files ?? {}, { Timeout: 60 }, at);
    for (let round = 0; round <= 30; round += 1) {
      for (const [side, at] of sides.entries()) {
        starts[side]?.push(coldStart(at, name, 9000));
        await delay(500);
      }
    }
    // The first of each finds the environment that the creation has started.
    const [inside = 0, outside = 0] = await Promise.all(
      starts.map(async ([, ...cold]) => median(await Promise.all(cold))),
    );
    const milliseconds = `${inside.toFixed(0)} against ${outside.toFixed(0)} ms`;
    table.add(
      `cold start with HOB_FUNCTION_FORGE on against off (${milliseconds})`,
      inside / outside,
      'times its time',
      'about 1',
    );
  } finally {
    without.destroy();
    await closed.stop();
  }
}

async function measureUpdates(table: Table): Promise<void> {
  progress('functions: updates');
  const FunctionName = 'node';
  const updates: number[] = [];
  const first: number[] = [];
  const warm: number[] = [];
  const going = new AbortController();
  let calls = 0;
  let failures = 0;
  const caller = async (): Promise<void> => {
    while (!going.signal.aborted) {
      const outcome = await invokeBy(client, 'busy').catch(() => undefined);
      calls += 1;
      if (!outcome || outcome.error !== undefined) failures += 1;
    }
  };
  await create('busy', languages[0]?.files ?? {}, {});
  const change = (name: string, round: number): Promise<unknown> =>
    client.send(
      new UpdateFunctionConfigurationCommand({ FunctionName: name, MemorySize: 1769 + round }),
    );
  for (let round = 1; round <= 30; round += 1) {
    updates.push(await timed(() => change(FunctionName, round)));
    await waitUntilFunctionUpdatedV2(patience, { FunctionName });
    first.push(await timed(() => invokeBy(client, FunctionName)));
    warm.push(await timed(() => invokeBy(client, FunctionName)));
  }
  const callers = [caller(), caller()];
  for (let round = 1; round <= 5; round += 1) {
    await change('busy', round);
    await waitUntilFunctionUpdatedV2(patience, { FunctionName: 'busy' });
  }
  going.abort();
  await Promise.all(callers);
  table.add('update-function-configuration, p50', median(updates), 'ms', '');
  table.add(
    `first invoke after an update (${median(first).toFixed(1)} ms) against the next`,
    median(first) / median(warm),
    'times its time',
    'about 1',
  );
  table.add(`invocations that failed while updates ran, of ${calls}`, failures, '', '0');
}

/** The same call with a hundred times as many functions stored: the cost must not follow. */
async function measureStored(table: Table): Promise<void> {
  const few = await load('node', 1);
  progress('functions: storing 990');
  const names = Array.from({ length: 990 }, (_, index) => `stored-${index}`);
  for (let start = 0; start < names.length; start += 10) {
    await Promise.all(
      names.slice(start, start + 10).map((name) =>
        // Nothing in it can be run: storing it costs no start.
        client.send(
          new CreateFunctionCommand(
            functionOf(name, { 'read.me': '' }, { Runtime: 'provided.al2023' }),
          ),
        ),
      ),
    );
  }
  const last = names.at(-1) ?? '';
  await waitUntilFunctionActiveV2(patience, { FunctionName: last }).catch(() => undefined);
  const many = await load('node', 1);
  table.add(
    'invoke with 1,000 functions stored against 10',
    many.loaded.cpuMicroseconds / few.loaded.cpuMicroseconds,
    'times the CPU',
    'at most 1.2',
  );
}

/** Programs of functions are recognized by their command, wherever the sandbox has put them. */
async function programsOf(): Promise<readonly number[]> {
  return (await childrenOf(server.pid)).flatMap(({ pid, command }) =>
    command.includes('/var/runtime') && /^\S*(node|python)/.test(command) ? [pid] : [],
  );
}

async function printed(command: string, ...args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(command, args)).stdout.trim();
}
