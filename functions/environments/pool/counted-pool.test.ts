import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createFakeEnvironments } from '../../testing/fake-environments.ts';
import type { CreatedEnvironment, Outcome } from '../execution-environment.ts';
import { createEnvironmentPool } from './create-environment-pool.ts';
import { countInvocations, noInvocations } from './counted-pool.ts';
import { testVersionSpec } from './testing/test-version-spec.ts';

const event = {
  requestId: 'one',
  deadline: 0,
  functionArn: 'arn',
  traceId: 'trace',
  payload: Buffer.from('{}'),
};

describe('the counts of a pool', () => {
  it('have every invocation once, by its result', async () => {
    const fake = createFakeEnvironments();
    const counts = noInvocations();
    const pool = countInvocations(fake, counts);
    const spec = testVersionSpec(1);
    const { promise: outcome, resolve: answer } = Promise.withResolvers<Outcome>();
    fake.answer(() => outcome);
    const invoking = pool.invoke(spec, event);
    assert.equal(counts.inProgress, 1);
    answer({ kind: 'response', payload: Buffer.from('{}') });
    await invoking;
    fake.answer(() => ({ kind: 'failed', errorType: 'Error', payload: Buffer.from('{}') }));
    await pool.invoke(spec, event);
    fake.failStarts({ code: 'FunctionError.RuntimeInitError', text: 'no' });
    await pool.invoke(spec, event);
    assert.deepEqual(counts, {
      inProgress: 0,
      ended: { succeeded: 1, failed: 1, throttled: 0, 'not-started': 1, lost: 0 },
    });
  });

  it('have an invocation that fails in the pool as ended', async () => {
    const counts = noInvocations();
    const broken = { ...createFakeEnvironments(), invoke: () => Promise.reject(new Error('no')) };
    await assert.rejects(countInvocations(broken, counts).invoke(testVersionSpec(1), event));
    assert.equal(counts.inProgress, 0);
  });

  it('have every environment in its state', async () => {
    const { promise: created, resolve: create } = Promise.withResolvers<CreatedEnvironment>();
    const pool = createEnvironmentPool(() => created, {
      environmentsMax: 4,
      capacityProviders: new Map(),
      idleMilliseconds: 3_600_000,
      refusal: undefined,
      onError: (error) => {
        throw error;
      },
    });
    const none = { starting: 0, idle: 0, busy: 0, draining: 0 };
    assert.deepEqual(pool.counts(), { now: none, started: 0 });
    const starting = pool.prewarm(testVersionSpec(1));
    assert.deepEqual(pool.counts(), { now: { ...none, starting: 1 }, started: 1 });
    create({ kind: 'failed', failure: { code: 'FunctionError.RuntimeInitError', text: 'no' } });
    await starting;
    assert.deepEqual(pool.counts(), { now: none, started: 1 });
    await pool.close();
  });
});
