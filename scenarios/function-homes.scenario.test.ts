import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { access, lstat, mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import {
  CloudWatchLogsClient,
  DescribeLogStreamsCommand,
  GetLogEventsCommand,
  paginateFilterLogEvents,
} from '@aws-sdk/client-cloudwatch-logs';
import {
  AddPermissionCommand,
  CreateFunctionCommand,
  CreateFunctionUrlConfigCommand,
  DeleteFunctionCommand,
  GetFunctionCommand,
  InvokeCommand,
  LambdaClient,
  ListFunctionsCommand,
  PutFunctionConcurrencyCommand,
  PutFunctionEventInvokeConfigCommand,
  TooManyRequestsException,
  UpdateFunctionConfigurationCommand,
  waitUntilFunctionActiveV2,
  waitUntilFunctionUpdatedV2,
} from '@aws-sdk/client-lambda';

import { errorCode } from '#platform/error-code.ts';
import { testPostgresUrl } from '#platform/testing/test-postgres.ts';

import { rendezvous } from '../commands/serve/nodes/rendezvous.ts';
import { descendants } from '../faults/host.ts';
import { freePort } from '../faults/server-under-test.ts';
import { durableFiles } from './durable-executions-program.ts';
import { accessKey, functionEnvironment, functionOf, invokeBy } from './function-service.ts';
import { until } from './patience.ts';
import {
  databaseOf,
  removeFolder,
  rootFolder,
  type RunningServer,
  startServer,
} from './running-server.ts';

const run = promisify(execFile);
const skip = testPostgresUrl === undefined ? 'is of PostgreSQL' : false;

const source = `
const environment = crypto.randomUUID();
export const handler = async ({ milliseconds = 0, number }) => {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  return { environment, round: process.env.ROUND, number };
};`;
const files = { 'index.mjs': source };
const inbox = 'arn:aws:sqs:us-east-1:123456789012:done';
const patience = { maxWaitTime: 60, minDelay: 0.1, maxDelay: 0.5 };

interface RunningNode {
  readonly serverId: string;
  readonly server: RunningServer;
  readonly client: LambdaClient;
}

/** AWS's client against every node: which one it asks makes no difference. */
describe('functions on three servers', { skip, timeout: 300_000 }, () => {
  let folder: string;
  let environment: Record<string, string>;
  let nodes: RunningNode[];
  let a: RunningNode;
  let b: RunningNode;
  let c: RunningNode;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-homes-'));
    await mkdir(join(folder, 'done'));
    await writeFile(
      join(folder, 'resources.json'),
      JSON.stringify({ targets: { [inbox]: { folder: join(folder, 'done') } } }),
    );
    environment = {
      ...functionEnvironment,
      ...(await databaseOf(folder)),
      HOB_NODE_ADDRESS: '127.0.0.1:0',
      HOB_CLUSTER_DATA: join(folder, 'shared'),
      // Code on other storage.
      HOB_CODE: join(folder, 'code'),
      HOB_BASE_URL: 'http://code.test',
      HOB_RESOURCES: join(folder, 'resources.json'),
    };
    await mkdir(environment['HOB_CODE'] ?? '');
    nodes = [];
    a = await start('a');
    b = await start('b');
    c = await start('c');
  });
  after(async () => {
    for (const { server, client } of nodes) {
      client.destroy();
      await server.kill();
    }
    await removeFolder(folder);
  });

  async function start(name: string): Promise<RunningNode> {
    const data = join(folder, name);
    const port = await freePort();
    const started = await startServer(data, { environment, port });
    // Not the base URL, where the balancer would be.
    const server = { ...started, url: `http://127.0.0.1:${port}` };
    // A refusal is to be seen, not repeated until another answer comes.
    const client = new LambdaClient({
      endpoint: server.url,
      region: 'us-east-1',
      credentials: accessKey,
      maxAttempts: 1,
    });
    const serverId = (await readFile(join(data, 'server-id'), 'utf8')).trim();
    const node = { serverId, server, client };
    nodes.push(node);
    return node;
  }

  async function create(
    { client }: RunningNode,
    FunctionName: string,
    given: Parameters<typeof functionOf>[2] = {},
    code: Parameters<typeof functionOf>[1] = files,
  ): Promise<void> {
    await client.send(new CreateFunctionCommand(functionOf(FunctionName, code, given)));
    await waitUntilFunctionActiveV2({ client, ...patience }, { FunctionName });
  }

  const homeOf = (name: string, among = nodes): RunningNode =>
    rendezvous(`123456789012 ${name}`, among) ?? assert.fail('There are no nodes.');

  /** Names of which the nodes are the homes, in their order. */
  function namesFor(prefix: string): string[] {
    return nodes.map((node) => {
      for (let number = 0; ; number += 1) {
        const name = `${prefix}-${number}`;
        if (homeOf(name) === node) return name;
      }
    });
  }

  const event = (node: RunningNode, FunctionName: string, number: number): Promise<unknown> =>
    node.client.send(
      new InvokeCommand({
        FunctionName,
        InvocationType: 'Event',
        Payload: JSON.stringify({ number }),
      }),
    );

  function logsClient({ server }: RunningNode): CloudWatchLogsClient {
    const options = { endpoint: server.url, region: 'us-east-1', credentials: accessKey };
    return new CloudWatchLogsClient(options);
  }

  async function streamsOf(node: RunningNode, logGroupName: string): Promise<string[]> {
    const client = logsClient(node);
    try {
      const { logStreams = [] } = await client.send(
        new DescribeLogStreamsCommand({ logGroupName }),
      );
      return logStreams.map(({ logStreamName = '' }) => logStreamName);
    } finally {
      client.destroy();
    }
  }

  /** The numbers that functions have answered asynchronous events with. */
  async function delivered(): Promise<number[]> {
    const names = (await readdir(join(folder, 'done'))).filter((name) => !name.startsWith('.'));
    const messages = await Promise.all(
      names.map(async (name) => JSON.parse(await readFile(join(folder, 'done', name), 'utf8'))),
    );
    return messages.map(({ body }) => JSON.parse(body).responsePayload.number);
  }

  test('run on one server, whichever server is asked', async () => {
    await create(a, 'one');
    const answers = [];
    for (const { client } of nodes) answers.push(await invokeBy(client, 'one', { number: 1 }));
    const [first] = answers;
    for (const { value, error } of answers)
      assert.deepEqual([value, error], [first?.value, undefined]);
    for (const { client } of nodes) {
      const { Functions = [] } = await client.send(new ListFunctionsCommand());
      assert.deepEqual(
        Functions.map(({ FunctionName }) => FunctionName),
        ['one'],
      );
      const { Code } = await client.send(new GetFunctionCommand({ FunctionName: 'one' }));
      const { pathname } = new URL(Code?.Location ?? '');
      const archive = await fetch(new URL(pathname, a.server.url));
      assert.equal(archive.status, 200);
    }
  });

  test('are updated at one server while another invokes them', async () => {
    for (const name of namesFor('updated')) {
      await create(a, name, { Environment: { Variables: { ROUND: '0' } } });
      const updated = new AbortController();
      const rounds: string[] = [];
      const invoking = (async () => {
        while (!updated.signal.aborted) rounds.push((await invokeBy(b.client, name)).value.round);
      })();
      await c.client.send(
        new UpdateFunctionConfigurationCommand({
          FunctionName: name,
          Environment: { Variables: { ROUND: '1' } },
        }),
      );
      await waitUntilFunctionUpdatedV2({ client: a.client, ...patience }, { FunctionName: name });
      updated.abort();
      await invoking;
      assert.deepEqual(rounds, rounds.toSorted(), name);
      for (const { client } of nodes) assert.equal((await invokeBy(client, name)).value.round, '1');
    }
  });

  test('have their reserved concurrency once, not once a server', async () => {
    await create(a, 'reserved');
    await b.client.send(
      new PutFunctionConcurrencyCommand({
        FunctionName: 'reserved',
        ReservedConcurrentExecutions: 1,
      }),
    );
    await invokeBy(c.client, 'reserved');
    const results = await Promise.allSettled(
      nodes.map(({ client }) => invokeBy(client, 'reserved', { milliseconds: 3000 })),
    );
    const refused = results.filter((result) => result.status === 'rejected');
    assert.equal(refused.length, 2);
    for (const { reason } of refused) assert.ok(reason instanceof TooManyRequestsException, reason);
  });

  test('answer at their URLs, and webhooks, whichever server gets the request', async () => {
    const code = { 'index.mjs': 'export const handler = async (event) => event;' };
    const { token } = a.server;
    const authorization = `token ${token}`;
    const api = async (method: string, path: string, body?: object): Promise<unknown> => {
      const sent = body && { body: JSON.stringify(body) };
      const request = { method, headers: { authorization }, ...sent };
      const response = await fetch(`${b.server.url}/api/v3${path}`, request);
      assert.ok(response.ok, await response.clone().text());
      return response.json();
    };
    await api('POST', '/user/repos', { name: 'hooked' });
    for (const [number, FunctionName] of namesFor('hooked').entries()) {
      await create(a, FunctionName, {}, code);
      const config = { FunctionName, AuthType: 'NONE' } as const;
      const { FunctionUrl = '' } = await b.client.send(new CreateFunctionUrlConfigCommand(config));
      await c.client.send(
        new AddPermissionCommand({
          FunctionName,
          StatementId: 'public',
          Action: 'lambda:InvokeFunctionUrl',
          Principal: '*',
          FunctionUrlAuthType: 'NONE',
        }),
      );
      const { pathname } = new URL(FunctionUrl);
      for (const { server } of nodes) {
        const response = await fetch(`${server.url}${pathname}a?b=c`, { method: 'PUT', body: 'x' });
        const text = await response.text();
        assert.equal(response.status, 200, text);
        const { rawPath, headers, requestContext } = JSON.parse(text);
        assert.deepEqual(
          [rawPath, headers['x-forwarded-proto'], requestContext.http.sourceIp],
          ['/a', 'http', '127.0.0.1'],
        );
        assert.equal(headers['x-forwarded-port'], new URL(server.url).port);
      }
      const path = '/repos/root/hooked/hooks';
      await api('POST', path, { config: { url: FunctionUrl }, events: ['push'] });
      const status = await until(async () => {
        const deliveries = await api('GET', `${path}/${number + 1}/deliveries`);
        assert.ok(Array.isArray(deliveries));
        return deliveries[0]?.status_code;
      });
      assert.equal(status, 200, FunctionName);
    }
  });

  test('continue durable executions that invoke functions with other homes', async () => {
    const story = homeOf('story');
    const [name = ''] = namesFor('other').filter((other) => homeOf(other) !== story);
    const durable = { DurableConfig: { ExecutionTimeout: 120 }, Timeout: 30 };
    await create(a, 'story', durable, durableFiles());
    const other = `export const handler = async ({ doubled }) => ({ tripled: doubled * 1.5 });`;
    await create(a, name, {}, { 'index.mjs': other });
    const elsewhere = nodes.find((node) => node !== story) ?? a;
    const child = 'story:$LATEST';
    const { value, error } = await invokeBy(elsewhere.client, child, {
      story: 'everything',
      number: 4,
      other: name,
      child,
    });
    assert.equal(error, undefined, JSON.stringify(value));
    assert.deepEqual([value.called, value.started], [{ tripled: 12 }, 'HELLO']);
  });

  test('have one log, of their former homes as well, at each server', async () => {
    const logged = { 'index.mjs': 'export const handler = async ({ text }) => console.log(text);' };
    const [name = ''] = namesFor('logged').slice(2);
    await create(a, name, {}, logged);
    const group = `/aws/lambda/${name}`;
    await invokeBy(a.client, name, { text: 'at the first home' });
    const left = homeOf(name);
    assert.equal(left, c);
    await left.server.stop();
    nodes = nodes.filter((node) => node !== left);
    await invokeBy(a.client, name, { text: 'at the second home' });
    assert.notEqual(homeOf(name), left);
    c = await start('c');
    assert.equal(c.serverId, left.serverId);
    await until(async () => {
      await invokeBy(a.client, name, { text: 'on the way' });
      return (await streamsOf(c, group)).length === 3 || undefined;
    });
    await invokeBy(a.client, name, { text: 'at the first home again' });
    const expected = ['at the first home', 'at the second home', 'at the first home again'];
    for (const node of nodes) {
      const names = await streamsOf(node, group);
      assert.equal(names.length, 3);
      const logs = logsClient(node);
      const of = { logGroupName: group };
      const filtered = { ...of, filterPattern: '"home"' };
      // The latest lines are held back for a moment.
      const events = await until(async () => {
        const pages = await Array.fromAsync(paginateFilterLogEvents({ client: logs }, filtered));
        const found = pages.flatMap((page) => page.events ?? []);
        return found.some(({ message }) => message?.includes('home again')) ? found : undefined;
      });
      const times = events.map(({ timestamp = 0 }) => timestamp);
      assert.deepEqual(
        times,
        times.toSorted((one, other) => one - other),
      );
      const texts = events.map(({ message = '' }) => message.split('\t').at(-1)?.trim());
      assert.deepEqual(texts, expected);
      const each = await Promise.all(
        names.map(async (logStreamName) => {
          const read = new GetLogEventsCommand({ ...of, logStreamName, startFromHead: true });
          return (await logs.send(read)).events ?? [];
        }),
      );
      for (const text of expected) {
        const has = each.filter((lines) =>
          lines.some(({ message = '' }) => message.includes(`${text}\n`)),
        );
        assert.equal(has.length, 1, text);
      }
      logs.destroy();
      const { stdout } = await run(
        process.execPath,
        [join(rootFolder, 'hob.ts'), 'functions', 'logs', '--function-name', name],
        {
          env: {
            ...process.env,
            AWS_ENDPOINT_URL: node.server.url,
            AWS_REGION: 'us-east-1',
            AWS_ACCESS_KEY_ID: accessKey.accessKeyId,
            AWS_SECRET_ACCESS_KEY: accessKey.secretAccessKey,
          },
        },
      );
      const shown = [...stdout.matchAll(/\tat the .+$/gm)].map(([text]) => text.trim());
      assert.deepEqual(shown, expected);
    }
  });

  test('get other homes while theirs cannot start a launcher process, and come back', async () => {
    const [, name = ''] = namesFor('starved');
    await create(a, name);
    const home = homeOf(name);
    assert.equal(home, b);
    const first = (await invokeBy(a.client, name)).value.environment;
    const readiness = async ({ server }: RunningNode): Promise<unknown> => {
      const response = await fetch(`${server.url}/readyz`);
      const { functions } = JSON.parse(await response.text());
      return [response.status, functions];
    };
    const killLaunchers = (): void => {
      for (const pid of descendants(home.server.pid, 'launcher-process.ts')) killIfThere(pid);
    };
    const unavailable = await until(
      async () => {
        killLaunchers();
        const found = await readiness(home);
        return JSON.stringify(found) === '[503,"unavailable"]' ? found : undefined;
      },
      { seconds: 60, missing: 'a node that is not ready' },
    );
    assert.ok(unavailable);
    const elsewhere = await until(
      async () => {
        killLaunchers();
        const { value } = await invokeBy(home.client, name).catch(() => ({ value: undefined }));
        return value?.environment;
      },
      { seconds: 60, missing: 'another home' },
    );
    assert.notEqual(elsewhere, first);
    for (const node of nodes.filter((other) => other !== home))
      assert.deepEqual(await readiness(node), [200, 'available']);
    await until(
      async () => JSON.stringify(await readiness(home)) === '[200,"available"]' || undefined,
      { seconds: 60, missing: 'the node' },
    );
    const back = await until(
      async () => {
        const { environment: now } = (await invokeBy(a.client, name)).value;
        return now === elsewhere ? undefined : now;
      },
      { seconds: 60, missing: 'the first home' },
    );
    assert.notEqual(back, first);
  });

  test('get other homes within 12 seconds when theirs is killed, and none of their events is lost', async () => {
    const names = namesFor('killed');
    for (const FunctionName of names) {
      await create(a, FunctionName);
      const DestinationConfig = { OnSuccess: { Destination: inbox } };
      await b.client.send(
        new PutFunctionEventInvokeConfigCommand({ FunctionName, DestinationConfig }),
      );
    }
    const killed = homeOf(names[2] ?? '');
    assert.equal(killed, c);
    const sent: number[] = [];
    for (let number = 0; number < 30; number += 1) {
      await event(nodes[number % 3] ?? a, names[(number >> 1) % 3] ?? '', number);
      sent.push(number);
    }
    await killed.server.kill();
    const since = performance.now();
    const rest = nodes.filter((node) => node !== killed);
    const answered = await until(
      async () =>
        (await invokeBy(a.client, names[2] ?? '', { number: -1 }).catch(() => undefined))?.value,
      { seconds: 30 },
    );
    const seconds = (performance.now() - since) / 1000;
    assert.equal(answered.number, -1);
    assert.ok(seconds < 15, `It took ${seconds} s.`);
    for (const { client } of rest) {
      for (const name of names) assert.equal((await invokeBy(client, name)).error, undefined, name);
    }
    await until(
      async () => {
        const numbers = new Set(await delivered());
        return sent.every((number) => numbers.has(number)) || undefined;
      },
      { seconds: 60, missing: 'the last event' },
    );
    // Back with its functions, and what has changed meanwhile.
    await a.client.send(new DeleteFunctionCommand({ FunctionName: names[0] }));
    nodes = rest;
    const again = await start('c');
    assert.equal(again.serverId, killed.serverId);
    for (const { client } of nodes) {
      assert.equal((await invokeBy(client, names[2] ?? '')).error, undefined);
      await assert.rejects(invokeBy(client, names[0] ?? ''), { name: 'ResourceNotFoundException' });
    }
  });

  test('are in a backup of what the servers share', async () => {
    const backup = join(folder, 'backup');
    const data = join(folder, 'shared');
    const command = [join(rootFolder, 'hob.ts'), 'backup', backup, '--data', data];
    const database = await databaseOf(folder);
    const store = { HOB_CODE: environment['HOB_CODE'] };
    await run(process.execPath, command, { env: { ...process.env, ...database, ...store } });
    const { client } = nodes[0] ?? a;
    const { Functions = [] } = await client.send(new ListFunctionsCommand());
    assert.ok(Functions.length > 0);
    const archives = await lstat(join(backup, 'data', 'functions', 'archives'));
    assert.ok(archives.isDirectory());
    assert.equal(archives.mode & 0o077, 0, 'is closed to others');
    for (const { CodeSha256 = '' } of Functions) {
      const sha256 = Buffer.from(CodeSha256, 'base64').toString('hex');
      await access(join(backup, 'data', 'functions', 'archives', `${sha256}.zip`));
    }
  });
});

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}
