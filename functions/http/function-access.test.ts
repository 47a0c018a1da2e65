import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { operationHandlers } from '../routes.ts';
import type { SignedPrincipal } from '../signing/principal.ts';
import { createTestFunctions } from '../testing/test-functions.ts';
import { checkFunctionAccess } from './function-access.ts';

const account = { accountId: '123456789012', accessKeyId: 'AKIAEXAMPLE', userId: 'A' };
const user: SignedPrincipal = {
  ...account,
  kind: 'user',
  arn: 'arn:aws:iam::1:user/ada',
  forgeUserId: 1,
};
const role: SignedPrincipal = { ...account, kind: 'role', arn: 'arn:aws:sts::1:assumed-role/w/f' };

const durable = [
  'CheckpointDurableExecution',
  'GetDurableExecutionState',
  'SendDurableExecutionCallbackFailure',
  'SendDurableExecutionCallbackHeartbeat',
  'SendDurableExecutionCallbackSuccess',
];

describe('operations that a function may request inside its sandbox', () => {
  it('are all by an access key, invocations by its own credentials, and few where it is closed', async () => {
    const functions = await createTestFunctions();
    const operations = operationHandlers(functions.ports).map(({ operation }) => operation);
    await functions.close();
    const allowed = (reach: 'service' | 'durable-executions', principal: SignedPrincipal) =>
      operations
        .filter((operation) => {
          try {
            checkFunctionAccess({ functionArn: 'arn', reach }, operation, principal);
            return true;
          } catch (error) {
            assert.match(String(error), /not authorized|Only durable|Missing Authentication/);
            return false;
          }
        })
        .map(({ name }) => name)
        .toSorted();
    assert.equal(allowed('service', user).length, operations.length);
    assert.deepEqual(
      allowed('service', role),
      [...durable, 'Invoke', 'InvokeAsync', 'InvokeWithResponseStream'].toSorted(),
    );
    assert.deepEqual(allowed('durable-executions', user), durable);
    assert.deepEqual(allowed('durable-executions', role), durable);
    const anonymous: SignedPrincipal = {
      ...account,
      kind: 'anonymous',
      accessKeyId: undefined,
      userId: undefined,
      arn: 'anonymous',
    };
    assert.deepEqual(allowed('service', anonymous), []);
  });
});
