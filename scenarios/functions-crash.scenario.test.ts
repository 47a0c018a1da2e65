import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import {
  CreateFunctionCommand,
  DeleteFunctionCommand,
  type FunctionConfiguration,
  GetFunctionConfigurationCommand,
  InvokeCommand,
  type LambdaClient,
  ListVersionsByFunctionCommand,
  PublishVersionCommand,
  PutFunctionEventInvokeConfigCommand,
  ResourceConflictException,
  TooManyRequestsException,
  UpdateFunctionConfigurationCommand,
  waitUntilFunctionActiveV2,
  waitUntilFunctionUpdatedV2,
} from '@aws-sdk/client-lambda';

import { clientOf, functionEnvironment, functionOf, invokeBy } from './function-service.ts';
import { until } from './patience.ts';
import { removeFolder, type RunningServer, startServer } from './running-server.ts';

/** More cycles find rarer crashes: `HOB_KILL_CYCLES=100 npm test -- scenarios/functions-crash`. */
const cycles = Number(process.env['HOB_KILL_CYCLES'] ?? 3);
const source = `export const handler = async () => [process.env.ROUND, process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE];`;
const files = { 'index.mjs': source };
/** Takes what functions answer to asynchronous events. */
const inbox = 'arn:aws:sqs:us-east-1:123456789012:done';
/** In one cycle: enough that kills find some waiting and some under way. */
const eventsMax = 40;
const patience = { maxWaitTime: 30, minDelay: 0.05, maxDelay: 0.2 };

/** What was acknowledged: each must be there after the server was killed. */
interface Acknowledged {
  readonly created: Set<string>;
  readonly deleted: Set<string>;
  /** Name to the newest acknowledged update, by number. */
  readonly updated: Map<string, number>;
  /** Updates that were sent and never answered: they may have happened. */
  readonly uncertain: Map<string, number>;
  /** Asynchronous events: what was sent with each. */
  readonly accepted: Set<string>;
  readonly published: { readonly name: string; readonly version: string; readonly round: string }[];
}

describe('a function service that is killed', () => {
  let folder: string;
  let server: RunningServer;
  let client: LambdaClient;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-functions-kill-'));
    await mkdir(join(folder, 'done'));
    const targets = { [inbox]: { folder: join(folder, 'done') } };
    await writeFile(join(folder, 'resources.json'), JSON.stringify({ targets }));
    await start();
  });
  after(async () => {
    client.destroy();
    const groups = await controlGroups(folder);
    assert.equal(await server.stop(), 0, server.output());
    for (const group of groups) await assert.rejects(stat(group), { code: 'ENOENT' });
    await removeFolder(folder);
  });

  async function start(): Promise<void> {
    server = await startServer(join(folder, 'data'), {
      // Long enough that kills find updates under way.
      environment: {
        ...functionEnvironment,
        HOB_FUNCTION_UPDATE_MS: '150',
        HOB_RESOURCES: join(folder, 'resources.json'),
      },
    });
    client = clientOf(server.url);
  }

  const configuration = (FunctionName: string): Promise<FunctionConfiguration> =>
    client.send(new GetFunctionConfigurationCommand({ FunctionName }));

  test(`${cycles} kills lose nothing that was acknowledged and leave nothing running`, async (context) => {
    const acknowledged: Acknowledged = {
      created: new Set(),
      deleted: new Set(),
      updated: new Map(),
      uncertain: new Map(),
      accepted: new Set(),
      published: [],
    };
    for (let cycle = 1; cycle <= cycles; cycle += 1) {
      const work = workload(client, cycle, acknowledged);
      const enough = acknowledged.published.length + 2;
      await until(() => (acknowledged.published.length < enough ? undefined : true));
      const timestamp = performance.now() + Math.random() * 500;
      await until(() => (performance.now() < timestamp ? undefined : true));
      await server.kill();
      await Promise.all(work);
      client.destroy();
      await nothingLeft(folder);
      await start();
      await verify(acknowledged);
    }
    const { created, deleted, updated, accepted, published } = acknowledged;
    context.diagnostic(
      `${created.size} functions made, ${deleted.size} deleted, ${published.length} versions published, updates of ` +
        `${updated.size} functions, ${accepted.size} asynchronous events: none was lost`,
    );
    assert.ok(created.size > 0 && updated.size > 0 && accepted.size > 0);
  });

  async function verify(acknowledged: Acknowledged): Promise<void> {
    const { created, deleted, updated, uncertain, accepted, published } = acknowledged;
    for (const FunctionName of deleted) {
      await assert.rejects(configuration(FunctionName), { name: 'ResourceNotFoundException' });
    }
    for (const FunctionName of [...created].slice(-6)) {
      // Provisioning that the kill interrupted goes on by itself and ends well.
      await waitUntilFunctionActiveV2({ client, ...patience }, { FunctionName });
      await waitUntilFunctionUpdatedV2({ client, ...patience }, { FunctionName });
      const { Environment, MemorySize } = await configuration(FunctionName);
      const round = Number(Environment?.Variables?.['ROUND']);
      assert.equal(MemorySize, 512 + round);
      const least = updated.get(FunctionName) ?? 0;
      const possible = [least, uncertain.get(FunctionName) ?? least];
      assert.ok(
        possible.includes(round),
        `${FunctionName}: ${round} is none of ${possible.join()}`,
      );
      updated.set(FunctionName, round);
      uncertain.delete(FunctionName);
      const { value } = await invokeBy(client, FunctionName);
      assert.deepEqual(value, [`${round}`, `${512 + round}`]);
    }
    for (const { name, version, round } of published.slice(-6)) {
      const { Versions } = await client.send(
        new ListVersionsByFunctionCommand({ FunctionName: name }),
      );
      const stored = Versions?.find(({ Version }) => Version === version);
      assert.equal(stored?.Environment?.Variables?.['ROUND'], round, `${name}:${version} was lost`);
    }
    // What was on its way when the server was killed runs again by itself.
    await until(async () => {
      const done = await answered(join(folder, 'done'));
      return [...accepted].every((event) => done.has(event)) ? true : undefined;
    });
  }
});

/** Repeats a piece of work until the server is gone; what it refuses temporarily is tried again. */
async function untilKilled(work: (round: number) => Promise<void>): Promise<void> {
  for (let round = 1; ; round += 1) {
    try {
      await work(round);
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      if (error instanceof ResourceConflictException) continue;
      if (error instanceof TooManyRequestsException) continue;
      return;
    }
  }
}

function settings(round: number): { MemorySize: number; Environment: object } {
  return { MemorySize: 512 + round, Environment: { Variables: { ROUND: `${round}` } } };
}

function workload(
  client: LambdaClient,
  cycle: number,
  acknowledged: Acknowledged,
): Promise<void>[] {
  const { created, deleted, updated, uncertain, accepted, published } = acknowledged;
  const create = async (name: string): Promise<void> => {
    await client.send(new CreateFunctionCommand(functionOf(name, files, settings(0))));
    created.add(name);
  };
  /** By hand: the clients' own waiters wait on when the server is gone. */
  const untilUpdated = async (FunctionName: string): Promise<void> => {
    await until(async () => {
      const now = await client.send(new GetFunctionConfigurationCommand({ FunctionName }));
      assert.notEqual(now.LastUpdateStatus, 'Failed', String(now.LastUpdateStatusReason));
      return now.State === 'Active' && now.LastUpdateStatus === 'Successful' ? now : undefined;
    });
  };
  const creations = untilKilled(async (round) => {
    await create(`made-${cycle}-${round}`);
    await untilUpdated(`made-${cycle}-${round}`);
  });
  const deletions = untilKilled(async (round) => {
    const FunctionName = `gone-${cycle}-${round}`;
    await client.send(new CreateFunctionCommand(functionOf(FunctionName, files, settings(0))));
    await client.send(new DeleteFunctionCommand({ FunctionName }));
    deleted.add(FunctionName);
  });
  const changes = [0, 1].map(async (index) => {
    const FunctionName = `changed-${cycle}-${index}`;
    let last = 0;
    await untilKilled(async () => {
      if (!created.has(FunctionName)) await create(FunctionName);
      await untilUpdated(FunctionName);
      const round = last + 1;
      uncertain.set(FunctionName, round);
      await client.send(
        new UpdateFunctionConfigurationCommand({ FunctionName, ...settings(round) }),
      );
      updated.set(FunctionName, round);
      last = round;
      await untilUpdated(FunctionName);
      const version = await client.send(new PublishVersionCommand({ FunctionName }));
      const stored = version.Environment?.Variables?.['ROUND'];
      assert.equal(stored, `${round}`);
      published.push({ name: FunctionName, version: version.Version ?? '', round: stored });
    });
  });
  const invocations = untilKilled(async () => {
    const FunctionName = await until(() =>
      [...created].find((name) => name.startsWith(`changed-${cycle}-`)),
    );
    const { value, error } = await invokeBy(client, FunctionName);
    assert.equal(error, undefined, JSON.stringify(value));
    assert.equal(Number(value[1]), 512 + Number(value[0]));
  });
  let listening = false;
  const events = untilKilled(async (round) => {
    const FunctionName = `listens-${cycle}`;
    if (!created.has(FunctionName)) await create(FunctionName);
    if (!listening) {
      const DestinationConfig = { OnSuccess: { Destination: inbox } };
      const destination = { FunctionName, DestinationConfig };
      await client.send(new PutFunctionEventInvokeConfigCommand(destination));
      await untilUpdated(FunctionName);
      listening = true;
    }
    if (round > eventsMax) {
      // Enough is under way: what is left is to see the server end.
      const timestamp = performance.now() + 20;
      await until(() => (performance.now() < timestamp ? undefined : true));
      await client.send(new GetFunctionConfigurationCommand({ FunctionName }));
    } else {
      const event = `${cycle}-${round}`;
      const Payload = JSON.stringify({ event });
      await client.send(new InvokeCommand({ FunctionName, InvocationType: 'Event', Payload }));
      accepted.add(event);
    }
  });
  return [creations, deletions, ...changes, invocations, events];
}

/** The events that functions have answered, as the destination got them. */
async function answered(destination: string): Promise<Set<string>> {
  const names = (await readdir(destination)).filter((name) => !name.startsWith('.'));
  const events = await Promise.all(
    names.map(async (name) => {
      const { body } = JSON.parse(await readFile(join(destination, name), 'utf8'));
      return String(JSON.parse(body).requestPayload.event);
    }),
  );
  return new Set(events);
}

/** The launcher ends with the server, and everything that it started with it. */
async function nothingLeft(folder: string): Promise<void> {
  await until(async () => {
    const left = [...(await mountsIn(folder)), ...(await processesOf(folder))];
    return left.length === 0 ? true : undefined;
  });
}

/** None where the host lets us have none. */
async function controlGroups(folder: string): Promise<string[]> {
  const list = join(folder, 'data', 'functions', 'launcher', 'control-groups');
  const text = await readFile(list, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}

async function mountsIn(folder: string): Promise<string[]> {
  const mounts = await readFile('/proc/self/mounts', 'utf8');
  return mounts.split('\n').filter((line) => line.includes(folder));
}

async function processesOf(folder: string): Promise<string[]> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const representation = await Promise.all(
    processes.map(async (id) => {
      const read = (name: string): Promise<string> =>
        readFile(`/proc/${id}/${name}`, 'utf8').catch(() => '');
      return `${id} ${(await read('cmdline')).replaceAll('\0', ' ')}\n${await read('mountinfo')}`;
    }),
  );
  return representation
    .filter((text) => text.includes(folder))
    .map((text) => text.split('\n')[0] ?? '');
}
