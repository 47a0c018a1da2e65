import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import {
  GetFunctionConfigurationCommand,
  PublishVersionCommand,
  waitUntilFunctionActiveV2,
  waitUntilPublishedVersionActive,
} from '@aws-sdk/client-lambda';

import { type FunctionService, startFunctionService } from './function-service.ts';
import { nodeProbe } from './probe-functions.ts';

const restorable = `
import time
from snapshot_restore_py import register_after_restore

restored = []
loaded = time.time()

@register_after_restore
def after_restore():
    restored.append(time.time())

def handler(event, context):
    return {"loaded": loaded, "restored": restored}
`;

describe('functions that are not used, and versions that wait', () => {
  let service: FunctionService;
  before(async () => {
    service = await startFunctionService({ HOB_FUNCTION_INACTIVE_SECONDS: '4' });
  });
  after(() => service.stop());

  const stateOf = async (FunctionName: string) =>
    (await service.client.send(new GetFunctionConfigurationCommand({ FunctionName }))).State;

  test('SnapStart: a version is initialised when it is published, and restored when it is invoked', async () => {
    const settings = {
      Runtime: 'python3.13',
      Handler: 'app.handler',
      SnapStart: { ApplyOn: 'PublishedVersions' },
    } as const;
    await service.create('snapshot', { 'app.py': restorable }, settings);
    const published = await service.client.send(
      new PublishVersionCommand({ FunctionName: 'snapshot' }),
    );
    assert.equal(published.State, 'Pending');
    const named = { FunctionName: 'snapshot', Qualifier: '1' };
    await waitUntilPublishedVersionActive(
      { client: service.client, maxWaitTime: 30, minDelay: 0.05, maxDelay: 0.2 },
      named,
    );
    const version = await service.client.send(new GetFunctionConfigurationCommand(named));
    assert.deepEqual(version.SnapStart, {
      ApplyOn: 'PublishedVersions',
      OptimizationStatus: 'On',
    });
    const requested = Date.now() / 1000;
    const { value, version: ran } = await service.invoke('snapshot', {}, { Qualifier: '1' });
    assert.equal(ran, '1');
    assert.ok(value.loaded < requested, 'It was loaded before anybody asked.');
    assert.equal(value.restored.length, 1);
    assert.ok(value.restored[0] >= requested - 0.05, 'It was restored for who asked.');
  });

  test('a function that no one uses rests, and comes back when a user does', async () => {
    await service.create('resting', { 'index.mjs': nodeProbe });
    const started = performance.now();
    while ((await stateOf('resting')) !== 'Inactive') {
      assert.ok(performance.now() - started < 20_000, 'It does not rest.');
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    await assert.rejects(service.invoke('resting', { do: 'count' }), {
      name: 'ResourceConflictException',
      message:
        'The operation cannot be performed at this time. The function is currently in the following state: Inactive',
    });
    await waitUntilFunctionActiveV2(
      { client: service.client, maxWaitTime: 30, minDelay: 0.05, maxDelay: 0.2 },
      { FunctionName: 'resting' },
    );
    assert.equal((await service.invoke('resting', { do: 'count' })).value, 1);
  });
});
