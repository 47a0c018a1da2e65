import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { EnvironmentLostError } from '../environments/execution-environment.ts';
import { internalError, isTemporaryFault, stoppingFailure } from '../environments/start-failure.ts';
import { LauncherLostError, LauncherUnavailableError } from '../launcher/launcher.ts';
import {
  createTestFunctions,
  testRole,
  testZip,
  type TestFunctions,
} from '../testing/test-functions.ts';

describe('provisioning', () => {
  const faults: unknown[] = [];
  const fault = new Error('The disk is full.');
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions({ onFault: (error) => faults.push(error) });
  });
  after(() => functions.close());

  it('marks an update as failed when the service itself breaks', async () => {
    await functions.create('unlucky');
    functions.environments.failStarts(internalError(fault));
    await functions.call('UpdateFunctionConfiguration', { FunctionName: 'unlucky', Timeout: 9 });
    await functions.untilProvisioned();
    functions.environments.failStarts(undefined);
    const { body } = await functions.call('GetFunctionConfiguration', { FunctionName: 'unlucky' });
    assert.equal(body.State, 'Active');
    assert.equal(body.LastUpdateStatus, 'Failed');
    assert.equal(body.LastUpdateStatusReasonCode, 'InternalError');
    // What broke is for the operator alone.
    assert.equal(body.LastUpdateStatusReason, internalError(fault).text);
    assert.deepEqual(faults, [fault]);
  });

  it('does not wait for a clock that was set back meanwhile', { timeout: 60_000 }, async () => {
    const { environments, clock } = functions;
    await functions.create('set-back');
    const letStart = environments.holdStarts();
    const given = { FunctionName: 'set-back', Timeout: 9 };
    await functions.call('UpdateFunctionConfiguration', given);
    clock.advance(-3_600_000);
    letStart();
    await functions.untilProvisioned();
    clock.advance(3_600_000);
    const { body } = await functions.call('GetFunctionConfiguration', { FunctionName: 'set-back' });
    assert.equal(body.LastUpdateStatus, 'Successful');
  });

  it('leaves no function coming back for ever after a fault of ours', async () => {
    await functions.create('coming-back');
    functions.clock.advance(functions.ports.settings.inactiveSeconds * 1000 + 1);
    await functions.inactivity.sweep();
    functions.environments.failStarts(internalError(fault));
    await functions.call('Invoke', { FunctionName: 'coming-back' });
    await functions.untilProvisioned();
    functions.environments.failStarts(undefined);
    assert.equal(faults.at(-1), fault);
    const { body } = await functions.call('GetFunctionConfiguration', {
      FunctionName: 'coming-back',
    });
    assert.deepEqual([body.State, body.StateReasonCode], ['Inactive', 'InternalError']);
  });

  it('leaves to the next start what a stop of the server interrupts', async () => {
    const FunctionName = 'interrupted';
    await functions.create(FunctionName);
    functions.environments.failStarts(stoppingFailure);
    await functions.call('UpdateFunctionConfiguration', { FunctionName, Timeout: 9 });
    await functions.call('CreateFunction', settingsOf('interrupted-too'));
    await until(async () => faults.filter(isTemporaryFault).length >= 2);
    assert.equal((await configuration(FunctionName)).LastUpdateStatus, 'InProgress');
    assert.equal((await configuration('interrupted-too')).State, 'Pending');
    functions.environments.failStarts(undefined);
    await until(async () => (await configuration('interrupted-too')).State === 'Active');
    await functions.untilProvisioned();
  });

  describe('while the launcher process is started again', () => {
    const died = new LauncherLostError('SIGKILL');
    for (const [index, passing] of [
      new LauncherUnavailableError(),
      died,
      new EnvironmentLostError(false),
      new EnvironmentLostError(false, { cause: died }),
    ].entries()) {
      it(`makes a function once that has passed (${passing.name}, ${String(passing.cause)})`, async () => {
        const FunctionName = `patient-${index}`;
        functions.environments.failStarts(internalError(passing));
        await functions.call('CreateFunction', settingsOf(FunctionName));
        await untilReported(passing);
        assert.equal((await configuration(FunctionName)).State, 'Pending');
        functions.environments.failStarts(undefined);
        await until(async () => (await configuration(FunctionName)).State === 'Active');
      });
    }

    it('applies an update once that has passed', async () => {
      const FunctionName = 'patient-update';
      await functions.create(FunctionName);
      const passing = new LauncherLostError('SIGKILL');
      functions.environments.failStarts(internalError(passing));
      await functions.call('UpdateFunctionConfiguration', { FunctionName, Timeout: 9 });
      await untilReported(passing);
      assert.equal((await configuration(FunctionName)).LastUpdateStatus, 'InProgress');
      functions.environments.failStarts(undefined);
      await until(
        async () => (await configuration(FunctionName)).LastUpdateStatus === 'Successful',
      );
    });

    it('reactivates a function once that has passed', async () => {
      const FunctionName = 'patient-rest';
      await functions.create(FunctionName);
      functions.clock.advance(functions.ports.settings.inactiveSeconds * 1000 + 1);
      await functions.inactivity.sweep();
      const passing = new LauncherLostError('SIGKILL');
      functions.environments.failStarts(internalError(passing));
      await functions.call('Invoke', { FunctionName });
      await untilReported(passing);
      functions.environments.failStarts(undefined);
      await until(async () => (await configuration(FunctionName)).State === 'Active');
    });
  });

  // oxlint-disable-next-line typescript/no-explicit-any -- an answer of the service
  async function configuration(FunctionName: string): Promise<any> {
    return (await functions.call('GetFunctionConfiguration', { FunctionName })).body;
  }

  async function untilReported(reported: unknown): Promise<void> {
    await until(async () => faults.includes(reported));
  }
});

function settingsOf(FunctionName: string): Readonly<Record<string, unknown>> {
  return {
    FunctionName,
    Role: testRole,
    Runtime: 'nodejs24.x',
    Handler: 'index.handler',
    Code: { ZipFile: testZip },
  };
}

/** What is waited for is done behind the answers. */
async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 1));
}
