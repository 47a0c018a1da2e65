import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { findVersion } from '../configuration/function-store.ts';
import { assertRefused } from '../testing/assert-refused.ts';
import { createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';
import { resumeProvisioning } from './provision.ts';
import { createInactivityReaper } from './deactivate.ts';

const dayMilliseconds = 24 * 60 * 60 * 1000;

describe('functions that no one uses', () => {
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions();
  });
  after(() => functions.close());

  const record = async (FunctionName: string) =>
    (await functions.call('GetFunctionConfiguration', { FunctionName })).body;
  const state = async (name: string) => {
    const { State, StateReason, StateReasonCode, LastUpdateStatus } = await record(name);
    return [State, StateReasonCode, StateReason, LastUpdateStatus];
  };
  const invoke = (FunctionName: string) =>
    functions.call('Invoke', { FunctionName, InvocationType: 'RequestResponse' });

  async function idleFor(milliseconds: number): Promise<void> {
    functions.clock.advance(milliseconds);
    await functions.inactivity.sweep();
  }

  async function inactive(name: string): Promise<void> {
    await functions.create(name);
    await idleFor(dayMilliseconds + 1);
  }

  it('refuses to run one that rests, says so, and brings it back', async () => {
    await inactive('woken');
    const rested = await record('woken');
    assert.equal(rested.State, 'Inactive');
    const releaseStarts = functions.environments.holdStarts();
    assertRefused(
      await invoke('woken'),
      'ResourceConflictException',
      'The operation cannot be performed at this time. The function is currently in the following state: Inactive',
    );
    const pending = await record('woken');
    assert.deepEqual(
      [pending.State, pending.StateReasonCode, pending.StateReason],
      ['Pending', 'Restoring', 'The function is being restored.'],
    );
    assert.notEqual(pending.RevisionId, rested.RevisionId);
    assertRefused(
      await invoke('woken'),
      'ResourceConflictException',
      'The operation cannot be performed at this time. The function is currently in the following state: Pending',
    );
    releaseStarts();
    await functions.untilProvisioned();
    assert.deepEqual(await state('woken'), ['Active', undefined, undefined, 'Successful']);
    assert.equal((await invoke('woken')).status, 200);
  });

  it('counts from when one is back, however long that took', async () => {
    await inactive('slow');
    const releaseStarts = functions.environments.holdStarts();
    await invoke('slow');
    functions.clock.advance(dayMilliseconds + 1);
    releaseStarts();
    await functions.untilProvisioned();
    await functions.inactivity.sweep();
    assert.equal((await record('slow')).State, 'Active');
    await idleFor(dayMilliseconds + 1);
    assert.equal((await record('slow')).State, 'Inactive');
  });

  it('refuses asynchronous events of one that rests, and brings it back as well', async () => {
    await inactive('asynchronous');
    assertRefused(
      await functions.call('Invoke', { FunctionName: 'asynchronous', InvocationType: 'Event' }),
      'ResourceConflictException',
      /state: Inactive$/,
    );
    await functions.untilProvisioned();
    assert.equal((await record('asynchronous')).State, 'Active');
  });

  it('does not bring one back for a dry run', async () => {
    await inactive('dry');
    const dry = await functions.call('Invoke', { FunctionName: 'dry', InvocationType: 'DryRun' });
    assertRefused(dry, 'ResourceConflictException', /state: Inactive$/);
    assert.equal((await record('dry')).State, 'Inactive');
  });

  it('deactivates what was neither invoked nor changed for long enough, and closes its environments', async () => {
    await functions.create('used');
    await functions.create('unused');
    await idleFor(dayMilliseconds / 2);
    assert.equal((await invoke('used')).status, 200);
    await idleFor(dayMilliseconds / 2 + 1);
    const idle = ['Inactive', 'Idle', 'The function has not been used for a while.', 'Successful'];
    assert.deepEqual(await state('unused'), idle);
    assert.equal((await record('used')).State, 'Active');
    const { id } = await versionOf('unused');
    assert.deepEqual(
      functions.environments.drained.filter(({ versionId }) => versionId === id).at(-1),
      { versionId: id, keep: undefined },
    );
    await idleFor(dayMilliseconds / 2);
    assert.equal((await record('used')).State, 'Inactive');
  });

  it('knows after a new start when a function was last used', async () => {
    await functions.create('remembered');
    functions.clock.advance(dayMilliseconds);
    assert.equal((await invoke('remembered')).status, 200);
    await functions.inactivity.close();
    functions.clock.advance(dayMilliseconds / 2);
    await createInactivityReaper(functions.ports, dayMilliseconds).sweep();
    assert.equal((await record('remembered')).State, 'Active');
  });

  it('leaves alone what is to be ready always', async () => {
    await functions.create('ready');
    await functions.call('PublishVersion', { FunctionName: 'ready' });
    await functions.untilProvisioned();
    const put = await functions.call('PutProvisionedConcurrencyConfig', {
      FunctionName: 'ready',
      Qualifier: '1',
      ProvisionedConcurrentExecutions: 1,
    });
    assert.equal(put.status, 202, put.text);
    await functions.untilProvisioned();
    await idleFor(2 * dayMilliseconds);
    assert.equal((await record('ready')).State, 'Active');
  });

  it('is left by an update', async () => {
    await inactive('updated');
    await functions.call('UpdateFunctionConfiguration', { FunctionName: 'updated', Timeout: 4 });
    await functions.untilProvisioned();
    assert.deepEqual(await state('updated'), ['Active', undefined, undefined, 'Successful']);
  });

  it('rests on when it cannot be brought back, and says why', async () => {
    await inactive('unable');
    const failure = { code: 'DisabledKMSKey', text: 'The key is disabled.' } as const;
    functions.environments.failStarts(failure);
    await invoke('unable');
    await functions.untilProvisioned();
    functions.environments.failStarts(undefined);
    assert.deepEqual(await state('unable'), ['Inactive', failure.code, failure.text, 'Successful']);
  });

  it('comes back with what it served with, when the last update had failed', async () => {
    await functions.create('failed', { Timeout: 5 });
    functions.environments.failStarts({ code: 'InvalidRuntime', text: 'no' });
    await functions.call('UpdateFunctionConfiguration', { FunctionName: 'failed', Timeout: 7 });
    await functions.untilProvisioned();
    functions.environments.failStarts(undefined);
    await idleFor(dayMilliseconds + 1);
    assert.equal((await record('failed')).State, 'Inactive');
    await invoke('failed');
    await functions.untilProvisioned();
    assert.equal(functions.environments.prewarmed.at(-1)?.configuration.Timeout, 5);
    const { State, LastUpdateStatus } = await record('failed');
    assert.deepEqual([State, LastUpdateStatus], ['Active', 'Failed']);
  });

  it('goes on coming back after a crash', async () => {
    await inactive('interrupted');
    const idle = createInactivityReaper(
      { ...functions.ports, background: neverRuns },
      dayMilliseconds,
    );
    await idle.activate((await versionOf('interrupted')).id);
    assert.equal((await record('interrupted')).StateReasonCode, 'Restoring');
    assert.ok((await resumeProvisioning(functions.ports)) > 0);
    await functions.untilProvisioned();
    assert.equal((await record('interrupted')).State, 'Active');
  });

  async function versionOf(name: string): Promise<{ id: number }> {
    const found = await functions.ports.database.read((sql) => findVersion(sql, name, 0));
    assert.ok(found);
    return found;
  }
});

/** As a server that is killed before it gets to it. */
const neverRuns = { run() {}, async idle() {}, async close() {} };
