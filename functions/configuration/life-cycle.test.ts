import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { withDefaults } from '#functions-contract/defaults.ts';
import { functionSettings } from '#functions-contract/shapes/settings.ts';

import {
  arnOf,
  createTestFunctions,
  testRole,
  testZip,
  type TestFunctions,
} from '../testing/test-functions.ts';

const creating = {
  code: 'Creating',
  text: 'The function is being created.',
} as const;

describe('the life of a function', () => {
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions();
  });
  after(() => functions.close());

  const record = async (name: string, Qualifier?: string) => {
    const given = Qualifier === undefined ? {} : { Qualifier };
    return (await functions.call('GetFunctionConfiguration', { FunctionName: name, ...given }))
      .body;
  };

  it('begins pending, without a last update, and ends active and successful', async () => {
    const releaseStarts = functions.environments.holdStarts();
    const { body } = await functions.call('CreateFunction', {
      FunctionName: 'born',
      Role: testRole,
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
      Code: { ZipFile: testZip },
    });
    const { FileSystemConfigs: _notShownWhenEmpty, ...defaults } = withDefaults(
      functionSettings,
      {},
    );
    assert.deepEqual(
      Object.keys(body).toSorted(),
      [
        ...Object.keys(defaults),
        'Architectures',
        'CodeSha256',
        'CodeSize',
        'FunctionArn',
        'FunctionName',
        'Handler',
        'LastModified',
        'PackageType',
        'RevisionId',
        'Role',
        'Runtime',
        'RuntimeVersionConfig',
        'State',
        'StateReason',
        'StateReasonCode',
        'Version',
      ].toSorted(),
    );
    assert.equal(body.State, 'Pending');
    assert.equal(body.StateReason, creating.text);
    assert.equal(body.StateReasonCode, creating.code);
    assert.deepEqual(
      [body.Timeout, body.MemorySize, body.Description, body.Architectures, body.Version],
      [3, 128, '', ['x86_64'], '$LATEST'],
    );
    assert.deepEqual(body.LoggingConfig, { LogFormat: 'Text', LogGroup: '/aws/lambda/born' });
    assert.deepEqual(body.SnapStart, { ApplyOn: 'None', OptimizationStatus: 'Off' });
    assert.match(body.LastModified, /^2026-01-02T03:04:05\.678\+0000$/);
    assert.match(
      body.RuntimeVersionConfig.RuntimeVersionArn,
      /^arn:aws:lambda:us-east-1::runtime:[0-9a-f]{64}$/,
    );
    releaseStarts();
    await functions.untilProvisioned();
    const now = await record('born');
    assert.equal(now.State, 'Active');
    assert.equal(now.LastUpdateStatus, 'Successful');
    assert.ok(!('StateReason' in now) && !('LastUpdateStatusReason' in now));
    assert.notEqual(now.RevisionId, body.RevisionId);
  });

  it('stays active while it is updated, and has a new revision at each step', async () => {
    await functions.create('updated');
    const first = await record('updated');
    const releaseStarts = functions.environments.holdStarts();
    const { body } = await functions.call('UpdateFunctionConfiguration', {
      FunctionName: 'updated',
      Description: 'again',
      RevisionId: first.RevisionId,
    });
    assert.deepEqual(
      [
        body.State,
        body.LastUpdateStatus,
        body.LastUpdateStatusReason,
        body.LastUpdateStatusReasonCode,
      ],
      ['Active', 'InProgress', creating.text, creating.code],
    );
    assert.deepEqual(await record('updated'), body);
    releaseStarts();
    await functions.untilProvisioned();
    const now = await record('updated');
    assert.equal(now.LastUpdateStatus, 'Successful');
    assert.ok(!('LastUpdateStatusReasonCode' in now));
    assert.equal(new Set([first, body, now].map(({ RevisionId }) => RevisionId)).size, 3);
  });

  it('takes the same update again for an update', async () => {
    await functions.create('same', { Description: 'd' });
    const first = await record('same');
    const { body } = await functions.call('UpdateFunctionConfiguration', {
      FunctionName: 'same',
      Description: 'd',
    });
    assert.equal(body.LastUpdateStatus, 'InProgress');
    await functions.untilProvisioned();
    assert.notEqual((await record('same')).RevisionId, first.RevisionId);
  });

  it('goes on with the old configuration when the new one does not start', async () => {
    await functions.create('broken');
    functions.environments.failStarts({
      code: 'FunctionError.InvalidEntryPoint',
      text: 'There is no such program.',
    });
    await functions.call('UpdateFunctionConfiguration', {
      FunctionName: 'broken',
      Handler: 'other.handler',
    });
    await functions.untilProvisioned();
    functions.environments.failStarts(undefined);
    const failed = await record('broken');
    assert.deepEqual(
      [
        failed.State,
        failed.LastUpdateStatus,
        failed.LastUpdateStatusReasonCode,
        failed.LastUpdateStatusReason,
        failed.Handler,
      ],
      [
        'Active',
        'Failed',
        'FunctionError.InvalidEntryPoint',
        'There is no such program.',
        'other.handler',
      ],
    );
    assert.equal((await functions.call('Invoke', { FunctionName: 'broken' })).status, 200);
    const served = functions.environments.invoked.at(-1);
    assert.equal(served?.spec.configuration.Handler, 'index.handler');
    await functions.call('UpdateFunctionConfiguration', { FunctionName: 'broken', Timeout: 9 });
    await functions.untilProvisioned();
    assert.equal((await record('broken')).LastUpdateStatus, 'Successful');
  });

  it('names the error beside the runtime version that it was of', async () => {
    const failure = { code: 'InvalidRuntime', text: 'dotnet8 is not installed.' } as const;
    const FunctionName = 'without-runtime';
    functions.environments.failStarts(failure);
    await functions.create(FunctionName);
    functions.environments.failStarts(undefined);
    const failed = await record(FunctionName);
    const expected = { Error: { ErrorCode: failure.code, Message: failure.text } };
    assert.deepEqual([failed.State, failed.RuntimeVersionConfig], ['Failed', expected]);
    await functions.call('UpdateFunctionConfiguration', { FunctionName, Timeout: 9 });
    await functions.untilProvisioned();
    assert.ok((await record(FunctionName)).RuntimeVersionConfig.RuntimeVersionArn);
  });

  it('stays failed when nothing has started yet and the update does not start either', async () => {
    const failure = {
      code: 'EFSMountFailure',
      text: 'The file system cannot be mounted.',
    } as const;
    functions.environments.failStarts(failure);
    await functions.create('never-started');
    assert.equal((await record('never-started')).State, 'Failed');
    await functions.call('UpdateFunctionConfiguration', {
      FunctionName: 'never-started',
      Timeout: 9,
    });
    await functions.untilProvisioned();
    functions.environments.failStarts(undefined);
    const failed = await record('never-started');
    assert.deepEqual(
      [failed.State, failed.StateReasonCode, failed.LastUpdateStatus],
      ['Failed', failure.code, 'Failed'],
    );
    await functions.call('UpdateFunctionConfiguration', {
      FunctionName: 'never-started',
      Timeout: 10,
    });
    await functions.untilProvisioned();
    assert.equal((await record('never-started')).State, 'Active');
    assert.equal((await functions.call('Invoke', { FunctionName: 'never-started' })).status, 200);
  });

  it('answers invocations of a program that is not there with an error of the function', async () => {
    for (const [code, errorType] of [
      ['FunctionError.InvalidEntryPoint', 'Runtime.InvalidEntrypoint'],
      ['FunctionError.TooManyExtensions', 'Extension.TooManyExtensions'],
    ] as const) {
      functions.environments.failStarts({ code, text: 'There is none.' });
      const FunctionName = errorType.replace('.', '-');
      await functions.create(FunctionName);
      assert.equal((await record(FunctionName)).State, 'Active');
      const { status, headers, body } = await functions.call('Invoke', {
        FunctionName,
        LogType: 'Tail',
      });
      functions.environments.failStarts(undefined);
      assert.deepEqual(
        [status, headers['x-amz-function-error'], body.errorType],
        [200, 'Unhandled', errorType],
      );
      assert.match(body.errorMessage, /^RequestId: [\w-]+ Error: There is none\.$/);
    }
  });

  it('is reported with the ARN that was asked for', async () => {
    await functions.create('asked', { Publish: true });
    assert.equal((await record('asked')).FunctionArn, arnOf('asked'));
    assert.equal((await record('asked', '$LATEST')).FunctionArn, arnOf('asked:$LATEST'));
    assert.equal((await record('asked', '1')).FunctionArn, arnOf('asked:1'));
    assert.equal((await record('asked:1')).Version, '1');
  });

  it('answers a creation with its first version by an unqualified ARN', async () => {
    const { body } = await functions.create('versioned', { Publish: true });
    assert.deepEqual([body.Version, body.FunctionArn], ['1', arnOf('versioned')]);
    const again = await functions.call('PublishVersion', { FunctionName: 'versioned' });
    assert.deepEqual(
      [again.body.Version, again.body.FunctionArn, again.body.LastUpdateStatus],
      ['1', arnOf('versioned:1'), 'Successful'],
    );
  });

  it('is changed by one of twenty updates of one revision', async () => {
    await functions.create('contested');
    const { RevisionId } = await record('contested');
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        functions.call('UpdateFunctionConfiguration', {
          FunctionName: 'contested',
          Description: `number ${index}`,
          RevisionId,
        }),
      ),
    );
    await functions.untilProvisioned();
    const won = answers.filter(({ status }) => status === 200);
    assert.equal(won.length, 1);
    assert.ok(answers.every(({ status }) => [200, 409, 412].includes(status)));
    assert.equal((await record('contested')).Description, won[0]?.body.Description);
  });

  it('ends once', async () => {
    await functions.create('mortal');
    const deleted = await functions.call('DeleteFunction', { FunctionName: 'mortal' });
    assert.deepEqual([deleted.status, deleted.text], [204, '']);
    const again = await functions.call('DeleteFunction', { FunctionName: 'mortal' });
    assert.equal(again.body.Message, `Function not found: ${arnOf('mortal')}`);
  });
});

describe('an update that is over at once', () => {
  it('shows as under way for as long as the operator asks, so that clients see it', async () => {
    const functions = await createTestFunctions({
      settings: { minimumInProgressMilliseconds: 120 },
    });
    try {
      await functions.create('quick');
      const started = performance.now();
      const status = async (): Promise<unknown> =>
        (await functions.call('GetFunctionConfiguration', { FunctionName: 'quick' })).body
          .LastUpdateStatus;
      const given = { FunctionName: 'quick', Timeout: 9 };
      assert.equal((await functions.call('UpdateFunctionConfiguration', given)).status, 200);
      assert.equal(await status(), 'InProgress');
      await functions.untilProvisioned();
      assert.ok(performance.now() - started >= 110);
      assert.equal(await status(), 'Successful');
    } finally {
      await functions.close();
    }
  });
});
