import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import {
  CreateFunctionCommand,
  type Event,
  GetDurableExecutionCommand,
  type GetDurableExecutionResponse,
  GetDurableExecutionHistoryCommand,
  InvokeCommand,
  type LambdaClient,
  ListDurableExecutionsByFunctionCommand,
  SendDurableExecutionCallbackFailureCommand,
  SendDurableExecutionCallbackHeartbeatCommand,
  SendDurableExecutionCallbackSuccessCommand,
  StopDurableExecutionCommand,
  waitUntilFunctionActiveV2,
} from '@aws-sdk/client-lambda';

import { durableFiles } from './durable-executions-program.ts';
import {
  clientOf,
  functionEnvironment,
  functionOf,
  type FunctionService,
  startFunctionService,
} from './function-service.ts';
import { until } from './patience.ts';
import { removeFolder, type RunningServer, startServer } from './running-server.ts';

const durable = { DurableConfig: { ExecutionTimeout: 120 }, Timeout: 30 };
const FunctionName = 'story:$LATEST';

/** The vendor's library inside and its client outside, as they are, against a real server. */
describe('durable executions', { concurrency: 4 }, () => {
  let service: FunctionService;
  before(async () => {
    service = await startFunctionService();
    const other = `export const handler = async ({ doubled }) => ({ tripled: doubled * 1.5 });`;
    await service.create('story', durableFiles(), durable);
    await service.create('other', { 'index.mjs': other });
  });
  after(() => service.stop());

  test('go through everything that the library can do', async () => {
    const { client } = service;
    const event = { story: 'everything', number: 4, other: 'other', child: FunctionName };
    const response = await client.send(
      new InvokeCommand({
        FunctionName,
        Payload: JSON.stringify(event),
        DurableExecutionName: 'all',
      }),
    );
    const text = Buffer.from(response.Payload ?? []).toString();
    assert.equal(response.FunctionError, undefined, text);
    assert.deepEqual(JSON.parse(text), {
      doubled: 8,
      attempts: 2,
      both: ['a', 'b'],
      squares: [1, 4, 9],
      polled: 2,
      called: { tripled: 12 },
      started: 'HELLO',
    });
    const arn = response.DurableExecutionArn ?? '';
    assert.match(arn, /:function:story:\$LATEST\/durable-execution\/all\//);
    const reported = await execution(client, arn);
    assert.equal(reported.Status, 'SUCCEEDED');
    assert.equal(reported.Result, text);
    const events = await history(client, arn);
    const named = (type: string, name: string): number =>
      events.filter(({ EventType, Name }) => EventType === type && Name === name).length;
    assert.equal(named('StepFailed', 'flaky'), 1);
    assert.equal(named('StepSucceeded', 'flaky'), 1);
    assert.equal(named('ChainedInvokeSucceeded', 'begin'), 1);
    assert.equal(named('ContextSucceeded', 'squares'), 1);
    const { DurableExecutions = [] } = await client.send(
      new ListDurableExecutionsByFunctionCommand({
        FunctionName: 'story',
        Statuses: ['SUCCEEDED'],
      }),
    );
    assert.ok(DurableExecutions.some(({ DurableExecutionArn }) => DurableExecutionArn === arn));
    // The same again is the same execution.
    const again = await client.send(
      new InvokeCommand({
        FunctionName,
        Payload: JSON.stringify(event),
        DurableExecutionName: 'all',
      }),
    );
    assert.equal(again.DurableExecutionArn, arn);
    assert.equal(Buffer.from(again.Payload ?? []).toString(), text);
  });

  test('wait for callbacks from outside, and not for ever', async () => {
    const { client } = service;
    const approved = await begin(client, { story: 'approval' });
    const CallbackId = await callbackOf(client, approved);
    await client.send(new SendDurableExecutionCallbackHeartbeatCommand({ CallbackId }));
    const Result = JSON.stringify({ by: 'ada' });
    await client.send(new SendDurableExecutionCallbackSuccessCommand({ CallbackId, Result }));
    assert.equal(
      (await ended(client, approved)).Result,
      '{"given":{"by":"ada"},"late":"CallbackTimeoutError"}',
    );
    await assert.rejects(
      client.send(new SendDurableExecutionCallbackSuccessCommand({ CallbackId, Result })),
      { name: 'CallbackTimeoutException' },
    );
    const refused = await begin(client, { story: 'refusal' });
    await client.send(
      new SendDurableExecutionCallbackFailureCommand({
        CallbackId: await callbackOf(client, refused),
        Error: { ErrorType: 'Denied', ErrorMessage: 'not today' },
      }),
    );
    const { Result: result = '' } = await ended(client, refused);
    assert.deepEqual(JSON.parse(result), { name: 'CallbackExternalError', message: 'not today' });
  });

  test('fail as their program does, and end when they are stopped', async () => {
    const { client } = service;
    const { error, value } = await service.invoke('story', { story: 'failure' }, { FunctionName });
    assert.equal(error, 'Unhandled');
    assert.match(value.errorMessage, /broken after InvokeError/);
    const arn = await begin(client, { story: 'refusal' });
    await callbackOf(client, arn);
    await client.send(
      new StopDurableExecutionCommand({
        DurableExecutionArn: arn,
        Error: { ErrorMessage: 'enough' },
      }),
    );
    const stopped = await execution(client, arn);
    assert.equal(stopped.Status, 'STOPPED');
    assert.equal(stopped.Error?.ErrorMessage, 'enough');
  });
});

describe('durable executions of a server that is killed', () => {
  let folder: string;
  let server: RunningServer;
  let client: LambdaClient;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-durable-kill-'));
    await start();
    await client.send(new CreateFunctionCommand(functionOf('story', durableFiles(), durable)));
    const patience = { client, maxWaitTime: 60, minDelay: 0.05, maxDelay: 0.2 };
    await waitUntilFunctionActiveV2(patience, { FunctionName: 'story' });
  });
  after(async () => {
    client.destroy();
    await server.stop();
    await removeFolder(folder);
  });

  async function start(): Promise<void> {
    server = await startServer(join(folder, 'data'), { environment: { ...functionEnvironment } });
    client = clientOf(server.url);
  }

  async function killAndStart(): Promise<void> {
    await server.kill();
    client.destroy();
    await start();
  }

  test('go on from their last checkpoint, and nothing is done again', async () => {
    const legs = 2;
    const arn = await begin(client, { story: 'journey', legs });
    // Acknowledged is started, whatever happens next.
    await killAndStart();
    const stamps = async (): Promise<readonly (string | undefined)[]> =>
      (await history(client, arn))
        .filter(({ EventType }) => EventType === 'StepSucceeded')
        .map(({ StepSucceededDetails: details }) => details?.Result?.Payload);
    for (let leg = 1; leg < legs; leg += 1) {
      const sofar = await until(async () => {
        const seen = await stamps();
        return seen.length >= leg ? seen : undefined;
      });
      await killAndStart();
      assert.deepEqual((await stamps()).slice(0, sofar.length), sofar);
    }
    const { Status, Result = '' } = await ended(client, arn);
    assert.equal(Status, 'SUCCEEDED');
    const seen = (await stamps()).map((stamp = '') => JSON.parse(stamp));
    assert.equal(seen.length, legs);
    assert.deepEqual(JSON.parse(Result), seen);
  });
});

async function begin(client: LambdaClient, event: object): Promise<string> {
  const { StatusCode, DurableExecutionArn = '' } = await client.send(
    new InvokeCommand({ FunctionName, InvocationType: 'Event', Payload: JSON.stringify(event) }),
  );
  assert.equal(StatusCode, 202);
  return DurableExecutionArn;
}

function execution(client: LambdaClient, arn: string): Promise<GetDurableExecutionResponse> {
  return client.send(new GetDurableExecutionCommand({ DurableExecutionArn: arn }));
}

async function history(client: LambdaClient, arn: string): Promise<readonly Event[]> {
  const command = new GetDurableExecutionHistoryCommand({ DurableExecutionArn: arn });
  return (await client.send(command)).Events ?? [];
}

/** The first callback that an execution waits for, once its program does. */
function callbackOf(client: LambdaClient, arn: string): Promise<string> {
  return until(async () => {
    const events = await history(client, arn);
    return events.find(({ EventType }) => EventType === 'CallbackStarted')?.CallbackStartedDetails
      ?.CallbackId;
  });
}

function ended(client: LambdaClient, arn: string): Promise<GetDurableExecutionResponse> {
  return until(
    async () => {
      const reported = await execution(client, arn);
      return reported.Status === 'RUNNING' ? undefined : reported;
    },
    { seconds: 60 },
  );
}
