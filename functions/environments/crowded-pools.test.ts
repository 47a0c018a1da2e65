import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { newConfiguration } from '../configuration/new-configuration.ts';
import type { RuntimeEvent } from '../runtime-api/runtime-channel.ts';
import { createEnvironmentPools, type EnvironmentPools } from './environment-pools.ts';
import type { MadeEnvironment, MakeEnvironment } from './make-environment.ts';
import type { Subject } from './subject.ts';

const failed: MadeEnvironment = {
  kind: 'failed',
  failure: { code: 'FunctionError', text: 'no environment today' },
};

describe('pools that many events come to', () => {
  it('start four environments at a time, and turn away the 501st event that waits', async () => {
    const held = Promise.withResolvers<MadeEnvironment>();
    let starting = 0;
    let most = 0;
    const pools = poolsOf(async () => {
      starting += 1;
      most = Math.max(most, starting);
      const made = await held.promise;
      starting -= 1;
      return made;
    });
    const waiting = Array.from({ length: 500 }, () => pools.invoke(subjectOf(1), event));
    assert.deepEqual(await pools.invoke(subjectOf(1), event), { kind: 'throttled' });
    const other = pools.invoke(subjectOf(2), event);
    held.resolve(failed);
    for (const { kind } of await Promise.all([...waiting, other])) {
      assert.equal(kind, 'not-started');
    }
    assert.equal(most, 4);
    await pools.close();
  });

  it('run nothing where functions are not to be run, and say why', async () => {
    const make = (): never => assert.fail('An environment was made.');
    const pools = poolsOf(make, 'Nothing keeps functions from this host.');
    const failure = {
      code: 'InvalidConfiguration',
      text: 'Nothing keeps functions from this host.',
    };
    assert.deepEqual(await pools.prepare(subjectOf(1)), failure);
    assert.deepEqual(await pools.invoke(subjectOf(1), event), { kind: 'not-started', failure });
    await pools.close();
  });
});

const event: RuntimeEvent = {
  requestId: 'one',
  deadline: Number.MAX_SAFE_INTEGER,
  functionArn: 'arn:aws:lambda:us-east-1:123456789012:function:f',
  traceId: 'Root=1-0-0',
  payload: Buffer.from('{}'),
};

function poolsOf(make: MakeEnvironment, refusal?: string): EnvironmentPools {
  return createEnvironmentPools(make, {
    idleMilliseconds: 60_000,
    environmentsMax: 1000,
    capacityProviders: new Map(),
    refusal,
  });
}

function subjectOf(id: number): Subject {
  return {
    versionId: id,
    functionName: 'f',
    version: '$LATEST',
    configurationId: id,
    configuration: newConfiguration({
      functionName: 'f',
      role: 'arn:aws:iam::123456789012:role/worker',
      packageType: 'Zip',
      architecture: 'x86_64',
      code: { sha256: '', size: 0, unzippedSize: 0 },
    }),
    sealedVariables: undefined,
  };
}
