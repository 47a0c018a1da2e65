// Runs on SQLite alone: it shows how programs fail to start.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import {
  type Runtime,
  UpdateFunctionCodeCommand,
  waitUntilFunctionUpdatedV2,
} from '@aws-sdk/client-lambda';

import { type ZipContent, zipOf } from '#functions/code/testing/zip-of.ts';

import { type FunctionService, startFunctionService } from './function-service.ts';
import { shellRuntime } from './shell-runtime.ts';
import { nodeProbe } from './probe-functions.ts';

const count = { do: 'count' };

/** Updates that cannot be applied: they say why, and what was there before goes on. */
describe('updates of functions that fail', { concurrency: 4 }, () => {
  let service: FunctionService;
  before(async () => {
    service = await startFunctionService();
  });
  after(() => service.stop());

  const atStart: Record<string, { code: string; reason: RegExp }> = {
    hang: { code: 'FunctionError.InitTimeout', reason: /10 seconds/ },
    throw: { code: 'FunctionError.RuntimeInitError', reason: /no start today/ },
    exit: { code: 'FunctionError.RuntimeInitError', reason: /exit status 3/ },
    allocate: { code: 'FunctionError.InitResourceExhausted', reason: /signal: killed/ },
  };
  for (const [how, { code, reason }] of Object.entries(atStart)) {
    test(`${code}: a start that does "${how}"`, async (context) => {
      if (how === 'allocate' && service.tier !== 'full') {
        return context.skip(`this host isolates functions by tier "${service.tier}"`);
      }
      const name = `start-${how}`;
      await service.create(name, { 'index.mjs': nodeProbe }, { MemorySize: 512 });
      assert.equal((await service.invoke(name, count)).value, 1);
      const failed = await service.updateThatFails(name, {
        Description: 'not to be',
        Environment: { Variables: { AT_START: how } },
      });
      assert.equal(failed.State, 'Active');
      assert.equal(failed.LastUpdateStatus, 'Failed');
      assert.equal(failed.LastUpdateStatusReasonCode, code);
      assert.match(failed.LastUpdateStatusReason ?? '', reason);
      // The same program as before: not even its memory was touched.
      assert.equal((await service.invoke(name, count)).value, 2);
      const mended = await service.update(name, { Environment: {} });
      assert.equal(mended.LastUpdateStatus, 'Successful');
      assert.equal(mended.LastUpdateStatusReasonCode, undefined);
      assert.equal((await service.invoke(name, count)).value, 1);
    });
  }

  const bootstraps: Record<string, { code: string; files: Record<string, ZipContent> }> = {
    missing: { code: 'FunctionError.InvalidEntryPoint', files: { 'readme.txt': 'nothing' } },
    'not-executable': {
      code: 'FunctionError.PermissionDenied',
      files: { bootstrap: { content: '#!/bin/sh\n', mode: 0o100644 } },
    },
    ends: {
      code: 'FunctionError.RuntimeInitError',
      files: { bootstrap: { content: '#!/bin/sh\nexit 0\n', mode: 0o100755 } },
    },
  };
  for (const [label, { code, files }] of Object.entries(bootstraps)) {
    test(`${code}: a bootstrap that is ${label}`, async () => {
      const FunctionName = `bootstrap-${label}`;
      const settings = { Runtime: 'provided.al2023' } as const;
      await service.create(
        FunctionName,
        { bootstrap: { content: shellRuntime('"from a shell"'), mode: 0o100755 } },
        settings,
      );
      assert.equal((await service.invoke(FunctionName)).value, 'from a shell');
      const { client } = service;
      await client.send(new UpdateFunctionCodeCommand({ FunctionName, ZipFile: zipOf(files) }));
      const waiting = { client, maxWaitTime: 30, minDelay: 0.05 };
      await assert.rejects(waitUntilFunctionUpdatedV2(waiting, { FunctionName }));
      const failed = await service.configuration(FunctionName);
      assert.equal(failed.LastUpdateStatusReasonCode, code, String(failed.LastUpdateStatusReason));
      assert.equal((await service.invoke(FunctionName)).value, 'from a shell');
    });
  }

  test('a handler that is not there', async () => {
    await service.create('no-handler', { 'index.mjs': nodeProbe });
    const failed = await service.updateThatFails('no-handler', { Handler: 'index.nobody' });
    assert.equal(failed.LastUpdateStatusReasonCode, 'FunctionError.RuntimeInitError');
    assert.match(failed.LastUpdateStatusReason ?? '', /Runtime\.HandlerNotFound/);
    assert.equal((await service.invoke('no-handler', count)).value, 1);
  });

  test('InvalidRuntime: a runtime that this host has no program for', async (context) => {
    await service.create('runtime', { 'index.mjs': nodeProbe });
    const candidates: Runtime[] = ['dotnet8', 'java21', 'ruby3.4'];
    for (const Runtime of candidates) {
      const failed = await service.updateThatFails('runtime', { Runtime }).catch(() => undefined);
      if (!failed) continue;
      assert.equal(failed.LastUpdateStatusReasonCode, 'InvalidRuntime');
      assert.match(failed.LastUpdateStatusReason ?? '', /HOB_RUNTIMES/);
      assert.equal((await service.invoke('runtime', count)).value, 1);
      return;
    }
    context.skip(`this host runs ${candidates.join(', ')}`);
  });

  test('KMSKeyNotFound: the key is gone', async () => {
    const arn = (await service.server.admin('create-key')).trim().split('\n')[0] ?? '';
    const Environment = { Variables: { GREETING: 'sealed' } };
    await service.create('keyless', { 'index.mjs': nodeProbe }, { KMSKeyArn: arn, Environment });
    await service.server.admin('delete-key', arn);
    const failed = await service.updateThatFails('keyless', { Description: 'changed' });
    assert.match(failed.LastUpdateStatusReasonCode ?? '', /^(InvalidStateKMSKey|KMSKeyNotFound)$/);
    assert.equal((await service.invoke('keyless', count)).value, 1);
  });

  test('a function whose first code does not start reports why when it is invoked', async () => {
    const source = `throw new RangeError('never started');`;
    await service.create('stillborn', { 'index.mjs': source });
    const { error, value } = await service.invoke('stillborn');
    assert.equal(error, 'Unhandled');
    assert.equal(value.errorType, 'RangeError');
    assert.equal(value.errorMessage, 'never started');
  });
});
