import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Database } from '#platform/database/database.ts';
import { openTestDatabase } from '#platform/testing/test-database.ts';

import { createFakeEnvironments } from '../../testing/fake-environments.ts';
import type { FunctionOutcome } from '../execution-environment.ts';
import { listInvocationCounts, removeInvocationCounts } from './invocation-counts-store.ts';
import { countedMilliseconds, recordInvocations } from './invocation-recorder.ts';
import { testVersionSpec } from './testing/test-version-spec.ts';

const event = {
  requestId: 'one',
  functionArn: 'arn',
  traceHeader: 'trace',
  payload: Buffer.from('{}'),
};

describe('the recorder of invocations', () => {
  let database: Database;

  before(async () => {
    database = await openTestDatabase();
  });
  after(() => database.close());

  it('writes what each function did, by the time at which it ended', async () => {
    const clock = { now: () => now };
    let now = 10 * countedMilliseconds + 1;
    const fake = createFakeEnvironments();
    const { pool, flush } = recordInvocations(fake, { database, clock });
    const spec = testVersionSpec(1);
    const { promise: outcome, resolve: answer } = Promise.withResolvers<FunctionOutcome>();
    fake.answer(() => outcome);
    const both = [pool.runEvent(spec, event), pool.runEvent(spec, event)];
    now += countedMilliseconds;
    answer({ kind: 'response', payload: Buffer.from('{}') });
    await Promise.all(both);
    await flush();
    fake.answer(() => ({ kind: 'failed', errorType: 'Error', payload: Buffer.from('{}') }));
    await pool.runEvent(spec, event);
    fake.failStarts({ code: 'FunctionError.RuntimeInitError', text: 'no' });
    await pool.runEvent(spec, event);
    await flush();
    await flush();
    const listed = () => database.read((sql) => listInvocationCounts(sql, spec.functionName, 0));
    const common = { functionName: spec.functionName, throttles: 0 };
    const later = {
      ...common,
      beginning: 11 * countedMilliseconds,
      invocations: 4,
      errors: 2,
      concurrency: 2,
    };
    assert.deepEqual(await listed(), [
      {
        ...common,
        beginning: 10 * countedMilliseconds,
        invocations: 0,
        errors: 0,
        concurrency: 2,
      },
      later,
    ]);
    await database.write((sql) => removeInvocationCounts(sql, 11 * countedMilliseconds));
    assert.deepEqual(await listed(), [later]);
  });

  it('counts what is throttled apart, and what fails in the pool as an error', async () => {
    const clock = { now: () => 0 };
    const spec = { ...testVersionSpec(1), functionName: 'limited' };
    const throttling = {
      ...createFakeEnvironments(),
      runEvent: () => Promise.resolve({ kind: 'throttled' } as const),
    };
    const limited = recordInvocations(throttling, { database, clock });
    await limited.pool.runEvent(spec, event);
    await limited.flush();
    const broken = { ...throttling, runEvent: () => Promise.reject(new Error('no')) };
    const failing = recordInvocations(broken, { database, clock });
    await assert.rejects(failing.pool.runEvent(spec, event));
    assert.equal(failing.totals.inProgress, 0);
    await failing.flush();
    const [count] = await database.read((sql) => listInvocationCounts(sql, 'limited', 0));
    assert.deepEqual(
      [count?.invocations, count?.errors, count?.throttles, count?.concurrency],
      [1, 1, 1, 1],
    );
  });

  it('totals every invocation once, by its result', async () => {
    const fake = createFakeEnvironments();
    const { pool, totals } = recordInvocations(fake, { database, clock: { now: () => 0 } });
    const spec = testVersionSpec(1);
    const { promise: outcome, resolve: answer } = Promise.withResolvers<FunctionOutcome>();
    fake.answer(() => outcome);
    const invoking = pool.runEvent(spec, event);
    assert.equal(totals.inProgress, 1);
    answer({ kind: 'response', payload: Buffer.from('{}') });
    await invoking;
    fake.answer(() => ({ kind: 'failed', errorType: 'Error', payload: Buffer.from('{}') }));
    await pool.runEvent(spec, event);
    fake.failStarts({ code: 'FunctionError.RuntimeInitError', text: 'no' });
    await pool.runEvent(spec, event);
    assert.deepEqual(totals, {
      inProgress: 0,
      ended: { succeeded: 1, failed: 1, throttled: 0, 'not-started': 1, lost: 0 },
    });
  });
});
