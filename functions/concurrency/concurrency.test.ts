import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';

import { runFunction } from '../invocation/run-function.ts';
import { assertRefused, violations } from '../testing/assert-refused.ts';
import {
  arnOf,
  createTestFunctions,
  testRole,
  testZip,
  type TestFunctions,
} from '../testing/test-functions.ts';
import { resumeReady } from './ensure-provisioned.ts';

describe('reserved concurrency', () => {
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions();
    await functions.create('fn', { Publish: true });
  });
  after(() => functions.close());

  const put = (ReservedConcurrentExecutions: number, FunctionName = 'fn') =>
    functions.call('PutFunctionConcurrency', { FunctionName, ReservedConcurrentExecutions });
  const get = (FunctionName = 'fn') => functions.call('GetFunctionConcurrency', { FunctionName });
  const remove = (FunctionName = 'fn') =>
    functions.call('DeleteFunctionConcurrency', { FunctionName });

  it('is refused for what is not there, for versions, and past what is left', async () => {
    for (const wanted of [0, 1]) {
      assertRefused(
        await put(wanted, 'doesnotexist'),
        'ResourceNotFoundException',
        `Function not found: ${arnOf('doesnotexist:$LATEST')}`,
      );
    }
    assertRefused(
      await get('doesnotexist'),
      'ResourceNotFoundException',
      `Function not found: ${arnOf('doesnotexist')}`,
    );
    assertRefused(
      await put(1, arnOf('fn:1')),
      'InvalidParameterValueException',
      'This operation is permitted on Lambda functions only. Aliases and versions do not support this operation. Please specify either a function name or an unqualified function ARN.',
    );
    for (const wanted of [901, 1001]) {
      assertRefused(
        await put(wanted),
        'InvalidParameterValueException',
        "Specified ReservedConcurrentExecutions for function decreases account's UnreservedConcurrentExecution below its minimum value of [100].",
        'without-type',
      );
    }
  });

  it('is put, shown and deleted', async () => {
    assert.deepEqual((await put(0)).body, { ReservedConcurrentExecutions: 0 });
    assert.deepEqual((await put(3)).body, { ReservedConcurrentExecutions: 3 });
    assert.deepEqual((await get()).body, { ReservedConcurrentExecutions: 3 });
    const read = await functions.call('GetFunction', { FunctionName: 'fn' });
    assert.deepEqual(read.body.Concurrency, { ReservedConcurrentExecutions: 3 });
    const settings = await functions.call('GetAccountSettings');
    assert.equal(settings.body.AccountLimit.UnreservedConcurrentExecutions, 997);
    const removed = await remove();
    assert.deepEqual([removed.status, removed.text], [204, '']);
    const left = await get();
    assert.deepEqual([left.status, left.body], [200, {}]);
  });

  it('of zero stops every invocation', async () => {
    await functions.create('stopped');
    await put(0, 'stopped');
    const invoked = await functions.call('Invoke', { FunctionName: 'stopped' });
    assertRefused(invoked, 'TooManyRequestsException', 'Rate Exceeded.', {
      Reason: 'ReservedFunctionConcurrentInvocationLimitExceeded',
    });
    await remove('stopped');
    assert.equal((await functions.call('Invoke', { FunctionName: 'stopped' })).status, 200);
  });

  it('counts a streamed response until its end', async () => {
    await functions.create('streaming');
    await put(1, 'streaming');
    const invoke = () => functions.call('Invoke', { FunctionName: 'streaming' });
    const { promise: trailer, resolve: end } = Promise.withResolvers<undefined>();
    const body = Readable.from([Buffer.from('{}')]);
    functions.environments.answer(() => ({ kind: 'stream', body, trailer }));
    const target = await functions.ports.targets.find({ name: 'streaming', qualifier: undefined });
    assert.ok(target);
    const invocation = {
      requestId: 'one',
      functionArn: arnOf('streaming'),
      payload: Buffer.from('{}'),
    };
    await runFunction(functions.ports, target, invocation);
    functions.environments.answer(({ payload }) => ({ kind: 'response', payload }));
    assertRefused(await invoke(), 'TooManyRequestsException', 'Rate Exceeded.', {
      Reason: 'ReservedFunctionConcurrentInvocationLimitExceeded',
    });
    end(undefined);
    await trailer;
    assert.equal((await invoke()).status, 200);
    await remove('streaming');
  });
});

describe('reserved concurrency that is all provisioned', () => {
  it('is for the versions it is provisioned for, and for no other', async () => {
    const functions = await createTestFunctions();
    try {
      await functions.create('fn', { Publish: true });
      await functions.call('CreateAlias', {
        FunctionName: 'fn',
        Name: 'live',
        FunctionVersion: '1',
      });
      await functions.call('PutProvisionedConcurrencyConfig', {
        FunctionName: 'fn',
        Qualifier: 'live',
        ProvisionedConcurrentExecutions: 2,
      });
      const reserve = (ReservedConcurrentExecutions: number) =>
        functions.call('PutFunctionConcurrency', {
          FunctionName: 'fn',
          ReservedConcurrentExecutions,
        });
      const invoke = (Qualifier: string) =>
        functions.call('Invoke', { FunctionName: 'fn', Qualifier });
      await reserve(2);
      assertRefused(await invoke('$LATEST'), 'TooManyRequestsException', 'Rate Exceeded.', {
        Reason: 'ReservedFunctionConcurrentInvocationLimitExceeded',
      });
      assert.equal((await invoke('1')).status, 200);
      await reserve(3);
      assert.equal((await invoke('$LATEST')).status, 200);
    } finally {
      await functions.close();
    }
  });
});

describe('the account', () => {
  it('reports its limits and what is in use of them', async () => {
    const functions = await createTestFunctions();
    try {
      await functions.create('one', { Publish: true });
      await functions.create('two');
      const { body } = await functions.call('GetAccountSettings');
      assert.deepEqual(body, {
        AccountLimit: {
          TotalCodeSize: 80_530_636_800,
          CodeSizeUnzipped: 262_144_000,
          CodeSizeZipped: 52_428_800,
          ConcurrentExecutions: 1000,
          UnreservedConcurrentExecutions: 1000,
        },
        AccountUsage: { TotalCodeSize: 3 * testZip.length, FunctionCount: 2 },
      });
      const given = { FunctionName: 'two', Description: 'changed', Timeout: 9 };
      await functions.call('UpdateFunctionConfiguration', given);
      await functions.untilProvisioned();
      const later = await functions.call('GetAccountSettings');
      assert.deepEqual(later.body.AccountUsage, body.AccountUsage, 'an update stores no code');
      const slashed = await functions.send({
        method: 'GET',
        target: '/2016-08-19/account-settings/',
      });
      assert.equal(slashed.status, 200);
    } finally {
      await functions.close();
    }
  });
});

describe('provisioned concurrency', () => {
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions();
    await functions.create('fn', { Publish: true });
    for (const Name of ['live', 'idle']) {
      await functions.call('CreateAlias', { FunctionName: 'fn', Name, FunctionVersion: '1' });
    }
  });
  after(() => functions.close());

  const named = (verb: string, Qualifier: string, FunctionName: string, given = {}) =>
    functions.call(`${verb}ProvisionedConcurrencyConfig`, { FunctionName, Qualifier, ...given });
  const put = (Qualifier: string, wanted = 1, name = 'fn') =>
    named('Put', Qualifier, name, { ProvisionedConcurrentExecutions: wanted });
  const get = (Qualifier: string, name = 'fn') => named('Get', Qualifier, name);
  const remove = (Qualifier: string, name = 'fn') => named('Delete', Qualifier, name);

  it('is refused for what is not there', async () => {
    for (const call of [
      (qualifier: string, name?: string) => put(qualifier, 1, name),
      get,
      remove,
    ]) {
      assertRefused(
        await call('noalias', 'doesnotexist'),
        'ResourceNotFoundException',
        `Cannot find alias arn: ${arnOf('doesnotexist:noalias')}`,
      );
      assertRefused(
        await call('noalias'),
        'ResourceNotFoundException',
        `Cannot find alias arn: ${arnOf('fn:noalias')}`,
      );
      assertRefused(
        await call('10'),
        'ResourceNotFoundException',
        `Function not found: ${arnOf('fn:10')}`,
      );
      assertRefused(
        await call('1', 'doesnotexist'),
        'ResourceNotFoundException',
        `Function not found: ${arnOf('doesnotexist:1')}`,
      );
    }
    assertRefused(
      await functions.call('ListProvisionedConcurrencyConfigs', { FunctionName: 'doesnotexist' }),
      'ResourceNotFoundException',
      `Function not found: ${arnOf('doesnotexist')}`,
    );
    assertRefused(
      await get('idle'),
      'ProvisionedConcurrencyConfigNotFoundException',
      'No Provisioned Concurrency Config found for this function',
    );
    assert.equal((await remove('idle')).status, 204);
    const { body } = await functions.call('ListProvisionedConcurrencyConfigs', {
      FunctionName: 'fn',
    });
    assert.deepEqual(body, { ProvisionedConcurrencyConfigs: [] });
  });

  it('is refused for what is not published, and beyond the capacity', async () => {
    for (const call of [get, remove]) {
      assertRefused(
        await call('$LATEST'),
        'InvalidParameterValueException',
        'The function resource provided must be an alias or a published version.',
      );
    }
    for (const qualifier of ['$LATEST', '$LATEST.PUBLISHED'])
      assertRefused(
        await put(qualifier),
        'InvalidParameterValueException',
        'Provisioned Concurrency Configs cannot be applied to unpublished function versions.',
      );
    assertRefused(
      await put('1', 0),
      'ValidationException',
      violations(
        "Value '0' at 'provisionedConcurrentExecutions' failed to satisfy constraint: Member must have value greater than or equal to 1",
      ),
    );
    assertRefused(
      await put('1', 1001),
      'InvalidParameterValueException',
      "Specified ConcurrentExecutions for function is greater than account's unreserved concurrency [1000].",
      'without-type',
    );
    assertRefused(
      await put('1', 901),
      'InvalidParameterValueException',
      "Specified ConcurrentExecutions for function decreases account's UnreservedConcurrentExecution below its minimum value of [100].",
      'without-type',
    );
    assertRefused(
      await put('1', 101),
      'InvalidParameterValueException',
      /execution environments of this server \[100\]/,
    );
  });

  it('starts environments behind its answer, and keeps them', async () => {
    const releaseStarts = functions.environments.holdStarts();
    const asked = await put('live', 5);
    assert.equal(asked.status, 202);
    const waiting = {
      RequestedProvisionedConcurrentExecutions: 5,
      AvailableProvisionedConcurrentExecutions: 0,
      AllocatedProvisionedConcurrentExecutions: 0,
      Status: 'IN_PROGRESS',
      LastModified: '2026-01-02T03:04:05.678+0000',
    };
    assert.deepEqual(asked.body, waiting);
    assert.deepEqual((await get('live')).body, waiting);
    releaseStarts();
    await functions.untilProvisioned();
    const ready = {
      ...waiting,
      AvailableProvisionedConcurrentExecutions: 5,
      AllocatedProvisionedConcurrentExecutions: 5,
      Status: 'READY',
    };
    assert.deepEqual((await get('live')).body, ready);
    assert.equal(functions.environments.provisioned.get('fn:1'), 5);
    const { body } = await functions.call('ListProvisionedConcurrencyConfigs', {
      FunctionName: 'fn',
    });
    assert.deepEqual(body, {
      ProvisionedConcurrencyConfigs: [{ FunctionArn: arnOf('fn:live'), ...ready }],
    });
    assertRefused(
      await functions.call('PutFunctionConcurrency', {
        FunctionName: 'fn',
        ReservedConcurrentExecutions: 1,
      }),
      'InvalidParameterValueException',
      " ReservedConcurrentExecutions  1 should not be lower than function's total provisioned concurrency [5].",
      'without-type',
    );
    assert.equal(await resumeReady(functions.ports), 1);
    await remove('live');
    await functions.untilProvisioned();
    assert.equal(functions.environments.provisioned.get('fn:1'), 0);
  });

  it('reports that environments did not start', async () => {
    functions.environments.failStarts({ code: 'FunctionError.RuntimeInitError', text: 'No.' });
    await put('1', 1);
    await functions.untilProvisioned();
    functions.environments.failStarts(undefined);
    const { body } = await get('1');
    assert.deepEqual(
      [body.Status, body.StatusReason, body.AvailableProvisionedConcurrentExecutions],
      ['FAILED', 'FUNCTION_ERROR_INIT_FAILURE', 0],
    );
    await remove('1');
  });

  it('waits for its version to be made', async () => {
    const releaseStarts = functions.environments.holdStarts();
    await functions.call('CreateFunction', {
      FunctionName: 'young',
      Role: testRole,
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
      Code: { ZipFile: testZip },
      Publish: true,
    });
    await put('1', 2, 'young');
    releaseStarts();
    await functions.untilProvisioned();
    assert.equal((await get('1', 'young')).body.Status, 'READY');
    assert.equal(functions.environments.provisioned.get('young:1'), 2);
  });

  it('moves with its alias', async () => {
    await functions.call('UpdateFunctionConfiguration', { FunctionName: 'fn', Timeout: 7 });
    await functions.untilProvisioned();
    await functions.call('PublishVersion', { FunctionName: 'fn' });
    await put('live', 2);
    await functions.untilProvisioned();
    await functions.call('UpdateAlias', { FunctionName: 'fn', Name: 'live', FunctionVersion: '2' });
    await functions.untilProvisioned();
    assert.equal(functions.environments.provisioned.get('fn:1'), 0);
    assert.equal(functions.environments.provisioned.get('fn:2'), 2);
  });
});
