import assert from 'node:assert/strict';

import { zipOf } from '../../code/testing/zip-of.ts';
import { addResource } from '../../added-resources/administer-resources.ts';
import { pending, setPrograms } from '../../durable-executions/testing/durable-programs.ts';
import { openLogStreams } from '../../logs/log-streams.ts';
import type { TestConsole } from '../../testing/test-console.ts';
import { saveTestEvent } from '../../test-events/test-events.ts';
import type { TestResponse } from '../../testing/test-functions.ts';

/** A console that has something of everything, long words and hostile texts included. */
export interface SeededConsole {
  /** What the parameters of the paths of pages stand for. */
  readonly names: Readonly<Record<string, string>>;
  /** URLs other than those of each page. */
  readonly more: readonly string[];
  /** Ends what is held under way. */
  release(): Promise<void>;
}

const long = 'a-name-that-has-no-place-to-break-'.repeat(4).slice(0, 64);
const hostile = `<script>alert(1)</script>"'&${'x'.repeat(90)}`;

/** What a console must have configured to be seeded. */
export const seededQueue = `arn:aws:sqs:us-east-1:123456789012:${long}`;
export const seededResources = {
  targets: new Map([[seededQueue, { kind: 'endpoint', url: 'http://127.0.0.1:1' } as const]]),
};

/** Functions in every state; `full` has something on every page. */
export async function seedConsole(service: TestConsole): Promise<SeededConsole> {
  const { environments } = service;
  const call = (name: string, input: object): Promise<TestResponse> =>
    service.call(name, { ...input });
  await service.create(long, { Description: long });
  await service.create('full', {
    Description: hostile,
    MemorySize: 256,
    Tags: { [long]: long, team: 'blue' },
    Environment: { Variables: { GREETING: hostile, LONG: long.repeat(4) } },
  });
  const full = { FunctionName: 'full' };
  await must(call('PublishVersion', { ...full, Description: hostile }));
  const alias = { ...full, FunctionVersion: '1', Description: long };
  await must(call('CreateAlias', { ...alias, Name: 'live' }));
  await must(call('CreateAlias', { ...alias, Name: long }));
  const cors = { AllowOrigins: [`https://${long.slice(0, 60)}.test`], AllowCredentials: true };
  await must(call('CreateFunctionUrlConfig', { ...full, AuthType: 'NONE', Cors: cors }));
  await must(call('AddPermission', { ...full, ...statement }));
  await must(call('PutFunctionConcurrency', { ...full, ReservedConcurrentExecutions: 7 }));
  const provisioned = { Qualifier: long, ProvisionedConcurrentExecutions: 1 };
  await must(call('PutProvisionedConcurrencyConfig', { ...full, ...provisioned }));
  await must(call('PutFunctionEventInvokeConfig', { ...full, MaximumRetryAttempts: 0 }));
  await must(call('Invoke', { ...full, Payload: Buffer.from('{}') }));
  const layer = {
    LayerName: long,
    Description: hostile,
    LicenseInfo: hostile,
    CompatibleRuntimes: ['nodejs24.x', 'python3.13'],
    Content: { ZipFile: zipOf({ 'lib/tool': 'a tool' }) },
  };
  await must(call('PublishLayerVersion', layer));
  await must(
    call('AddLayerVersionPermission', {
      LayerName: long,
      VersionNumber: 1,
      StatementId: long,
      Action: 'lambda:GetLayerVersion',
      Principal: '*',
    }),
  );
  const named = { kind: 'target', name: `arn:aws:sqs:us-east-1:123456789012:${long}` } as const;
  const { ports } = service;
  await addResource(ports, named, '{"folder":"/srv/lost"}', ports.fileResources, {
    dataDirectory: ports.dataDirectory,
    shared: undefined,
  });
  const mapping = { ...full, EventSourceArn: seededQueue, Enabled: false };
  const { body: mapped } = await must(call('CreateEventSourceMapping', mapping));
  const event = { name: long, event: JSON.stringify(hostile) };
  await saveTestEvent(service.ports, 'full', event, () => false);
  await seedLog(service);
  const execution = await seedExecution(service);

  await service.create('failed');
  environments.failStarts({ code: 'FunctionError.RuntimeInitError', text: hostile });
  await must(call('UpdateFunctionConfiguration', { FunctionName: 'failed', MemorySize: 512 }));
  await service.untilProvisioned();
  await service.create('never', { Description: 'Its first start fails' });
  environments.failStarts(undefined);

  await service.create('updating');
  const release = environments.holdStarts();
  await must(call('UpdateFunctionConfiguration', { FunctionName: 'updating', MemorySize: 512 }));
  const at = '/-/functions/';
  return {
    names: { name: 'full', alias: 'live', layer: long, version: '1', uuid: mapped.UUID },
    more: [
      `${at}durable/executions`,
      `${at}durable/execution?arn=${encodeURIComponent(execution)}`,
      `${at}${long}/monitor`,
      `${at}${long}`,
      `${at}${long}/versions`,
      `${at}${long}/aliases`,
      `${at}${long}/logs`,
      `${at}${long}/url`,
      `${at}${long}/concurrency`,
      `${at}${long}/permissions`,
      `${at}${long}/asynchronous`,
      `${at}${long}/tags`,
      `${at}failed`,
      `${at}never`,
      `${at}updating`,
      `${at}full/code?file=index.mjs`,
      `${at}full/test?saved=${long}`,
      `${at}full/logs?follow=1`,
      `${at}full/logs?filter=nothing`,
    ],
    async release() {
      release();
      await service.untilProvisioned();
    },
  };
}

/** One that waits for an hour. */
async function seedExecution(service: TestConsole): Promise<string> {
  await service.create('durable', {
    DurableConfig: { ExecutionTimeout: 7200, RetentionPeriodInDays: 1 },
  });
  const wait = { Id: 'w', Type: 'WAIT', Action: 'START', WaitOptions: { WaitSeconds: 3600 } };
  setPrograms(service, {
    durable: async ({ checkpoint }) => {
      await checkpoint([
        { Id: 's', Name: long, Type: 'STEP', SubType: 'Step', Action: 'START' },
        { Id: 's', Name: long, Type: 'STEP', SubType: 'Step', Action: 'SUCCEED', Payload: '1' },
        { Id: 'c', Name: 'orders', Type: 'CONTEXT', SubType: 'RunInChildContext', Action: 'START' },
        { Id: 'r', ParentId: 'c', Name: 'charge', Type: 'STEP', SubType: 'Step', Action: 'START' },
        {
          Id: 'r',
          ParentId: 'c',
          Name: 'charge',
          Type: 'STEP',
          SubType: 'Step',
          Action: 'FAIL',
          Error: { ErrorType: 'Error', ErrorMessage: 'declined' },
        },
        { ...wait, Type: 'WAIT', Action: 'START' },
      ]);
      return pending;
    },
  });
  const DurableExecutionName = long;
  const started = await must(
    service.call('Invoke', {
      FunctionName: 'durable:$LATEST',
      InvocationType: 'Event',
      Payload: '{}',
      DurableExecutionName,
    }),
  );
  await service.ports.durable.poll();
  return started.headers['x-amz-durable-execution-arn'] ?? '';
}

const statement = {
  StatementId: long,
  Action: 'lambda:InvokeFunction',
  Principal: 'sqs.amazonaws.com',
  SourceArn: `arn:aws:sqs:us-east-1:123456789012:${long}`,
};

/** An error, a long line, markup, and a report. */
async function seedLog({ ports, clock }: TestConsole): Promise<void> {
  const streams = openLogStreams({
    folder: ports.logFolder,
    onError: (error) => assert.fail(String(error)),
  });
  const stream = streams.open('/aws/lambda/full', 'one');
  const now = clock.now();
  for (const text of [
    `<b>${long.repeat(5)}</b>`,
    '2026-01-02T03:04:05.678Z\tid\tERROR\tbroken',
    'REPORT RequestId: 8f5\tDuration: 12.34 ms\tBilled Duration: 13 ms\tMemory Size: 256 MB\tMax Memory Used: 40 MB\t',
  ]) {
    stream.append(text, now - 60_000);
  }
  await streams.flushed();
  await streams.close();
}

async function must(response: Promise<TestResponse>): Promise<TestResponse> {
  const answer = await response;
  assert.ok(answer.status < 300, answer.text);
  return answer;
}
