import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { internalError } from '../environments/start-failure.ts';
import { createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';

describe('provisioning', () => {
  const faults: unknown[] = [];
  const fault = new Error('The disk is full.');
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions({ onFault: (error) => faults.push(error) });
  });
  after(() => functions.close());

  it('settles an update as failed when the service itself breaks', async () => {
    await functions.create('unlucky');
    functions.environments.failStarts(internalError(fault));
    await functions.call('UpdateFunctionConfiguration', { FunctionName: 'unlucky', Timeout: 9 });
    await functions.settled();
    functions.environments.failStarts(undefined);
    const { body } = await functions.call('GetFunctionConfiguration', { FunctionName: 'unlucky' });
    assert.equal(body.State, 'Active');
    assert.equal(body.LastUpdateStatus, 'Failed');
    assert.equal(body.LastUpdateStatusReasonCode, 'InternalError');
    // What broke is for the operator alone.
    assert.equal(body.LastUpdateStatusReason, internalError(fault).text);
    assert.deepEqual(faults, [fault]);
  });

  it('leaves no function coming back for ever after a fault of ours', async () => {
    await functions.create('coming-back');
    functions.clock.advance(functions.ports.settings.inactiveSeconds * 1000 + 1);
    await functions.rest.sweep();
    functions.environments.failStarts(internalError(fault));
    await functions.call('Invoke', { FunctionName: 'coming-back' });
    await functions.settled();
    functions.environments.failStarts(undefined);
    assert.equal(faults.at(-1), fault);
    const { body } = await functions.call('GetFunctionConfiguration', {
      FunctionName: 'coming-back',
    });
    assert.deepEqual([body.State, body.StateReasonCode], ['Inactive', 'InternalError']);
  });
});
