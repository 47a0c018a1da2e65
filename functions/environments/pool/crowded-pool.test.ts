import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { RuntimeEvent } from '../../runtime-api/runtime-channel.ts';
import type { EnvironmentPool } from './environment-pool.ts';
import { createEnvironmentPool } from './create-environment-pool.ts';
import { testVersionSpec } from './testing/test-version-spec.ts';
import type { CreatedEnvironment, CreateEnvironment } from '../execution-environment.ts';

const failed: CreatedEnvironment = {
  kind: 'failed',
  failure: { code: 'FunctionError', text: 'no environment today' },
};

// An event that is not turned away would wait for ever.
describe('pools that many events come to', { timeout: 20_000 }, () => {
  it('start four environments at a time, and turn away the 501st event that waits', async () => {
    const held = Promise.withResolvers<CreatedEnvironment>();
    const four = Promise.withResolvers<void>();
    let starting = 0;
    let most = 0;
    const pool = poolOf(async () => {
      starting += 1;
      most = Math.max(most, starting);
      if (starting === 4) four.resolve();
      const made = await held.promise;
      starting -= 1;
      return made;
    });
    const waiting = Array.from({ length: 500 }, () => pool.runEvent(testVersionSpec(1), event));
    assert.deepEqual(await pool.runEvent(testVersionSpec(1), event), { kind: 'throttled' });
    const other = pool.runEvent(testVersionSpec(2), event);
    await four.promise;
    held.resolve(failed);
    for (const { kind } of await Promise.all([...waiting, other])) {
      assert.equal(kind, 'not-started');
    }
    assert.equal(most, 4);
    await pool.close();
  });

  it('run nothing where functions are not to be run, and say why', async () => {
    const create = (): never => assert.fail('An environment was made.');
    const pool = poolOf(create, 'Nothing keeps functions from this host.');
    const failure = {
      code: 'InvalidConfiguration',
      text: 'Nothing keeps functions from this host.',
    };
    assert.deepEqual(await pool.prewarm(testVersionSpec(1)), failure);
    assert.deepEqual(await pool.runEvent(testVersionSpec(1), event), {
      kind: 'not-started',
      failure,
    });
    await pool.close();
  });
});

const event: RuntimeEvent = {
  requestId: 'one',
  functionArn: 'arn:aws:lambda:us-east-1:123456789012:function:f',
  traceHeader: 'Root=1-0-0',
  payload: Buffer.from('{}'),
};

function poolOf(create: CreateEnvironment, refusal?: string): EnvironmentPool {
  return createEnvironmentPool(create, {
    idleMilliseconds: 60_000,
    environmentsMax: 1000,
    capacityProviders: new Map(),
    refusal,
    onError: (error) => assert.fail(String(error)),
  });
}
