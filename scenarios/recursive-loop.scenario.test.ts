import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import {
  PutFunctionEventInvokeConfigCommand,
  PutFunctionRecursionConfigCommand,
} from '@aws-sdk/client-lambda';

import { type FunctionService, startFunctionService } from './function-service.ts';
import { until } from './patience.ts';
import { removeFolder } from './running-server.ts';

const queue = 'arn:aws:sqs:us-east-1:123456789012:failed';

/** Invokes itself until the given end, with the header that AWS's clients send from inside a function. */
const looping = `
export const handler = async ({ url, count, end }) => {
  if (count === end) throw new Error('reached the end');
  const answer = await fetch(url + '/2015-03-31/functions/loop/invocations', {
    method: 'POST',
    headers: {
      'x-amzn-trace-id': process.env._X_AMZN_TRACE_ID,
      'x-amz-invocation-type': 'Event',
    },
    body: JSON.stringify({ url, count: count + 1, end }),
  });
  if (answer.status !== 202) throw new Error(await answer.text());
};`;

describe('a function that invokes itself', () => {
  let folder: string;
  let service: FunctionService;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-loop-'));
    await mkdir(join(folder, 'failed'));
    const resources = join(folder, 'resources.json');
    const targets = { [queue]: { folder: join(folder, 'failed') } };
    await writeFile(resources, JSON.stringify({ targets }));
    service = await startFunctionService({
      HOB_RESOURCES: resources,
      HOB_FUNCTION_NETWORK: 'host',
      HOB_ALLOW_UNSIGNED: 'on',
    });
  });
  after(async () => {
    await service.stop();
    await removeFolder(folder);
  });

  /** The event that ended in the dead-letter queue, once it is there. */
  // oxlint-disable-next-line typescript/no-explicit-any -- any event
  async function letter(): Promise<any> {
    const failed = join(folder, 'failed');
    const name = await until(async () =>
      (await readdir(failed)).find((file) => file.endsWith('.json')),
    );
    const read = JSON.parse(await readFile(join(failed, name), 'utf8'));
    await rm(join(failed, name));
    return { event: JSON.parse(read.body), error: JSON.stringify(read.attributes) };
  }

  test('RecursiveLoop: is ended after sixteen times, unless it is allowed to go on', async () => {
    await service.create(
      'loop',
      { 'index.mjs': looping },
      { DeadLetterConfig: { TargetArn: queue } },
    );
    const { url } = service.server;
    const run = { InvocationType: 'Event', LogType: undefined } as const;
    await service.invoke('loop', { url, count: 1, end: 25 }, run);
    const ended = await letter();
    // The seventeenth event was taken on, and not run.
    assert.equal(ended.event.count, 17);
    assert.match(ended.error, /chain of requests/);
    await service.client.send(
      new PutFunctionRecursionConfigCommand({ FunctionName: 'loop', RecursiveLoop: 'Allow' }),
    );
    await service.client.send(
      new PutFunctionEventInvokeConfigCommand({ FunctionName: 'loop', MaximumRetryAttempts: 0 }),
    );
    await service.invoke('loop', { url, count: 1, end: 25 }, run);
    const allowed = await letter();
    assert.equal(allowed.event.count, 25);
    assert.match(allowed.error, /reached the end/);
  });
});
