import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { prepareSnapshotsLater } from '../provisioning/provision.ts';
import { listSnapshotVersions } from '../provisioning/provisioning-store.ts';
import { createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';

const snapshotted = {
  Runtime: 'python3.13',
  SnapStart: { ApplyOn: 'PublishedVersions' },
} as const;

describe('versions with a snapshot', () => {
  let functions: TestFunctions;
  before(async () => {
    functions = await createTestFunctions();
  });
  after(() => functions.close());

  const publish = async (FunctionName: string) =>
    (await functions.call('PublishVersion', { FunctionName })).body;
  const record = async (FunctionName: string, Qualifier = '1') =>
    (await functions.call('GetFunctionConfiguration', { FunctionName, Qualifier })).body;

  it('are failed when their code does not start: there is nothing to restore', async () => {
    await functions.create('broken', snapshotted);
    functions.environments.failStarts({ code: 'FunctionError.RuntimeInitError', text: 'no start' });
    await publish('broken');
    await functions.untilProvisioned();
    functions.environments.failStarts(undefined);
    const { State, StateReasonCode, StateReason } = await record('broken');
    assert.deepEqual(
      [State, StateReasonCode, StateReason],
      ['Failed', 'FunctionError.RuntimeInitError', 'no start'],
    );
    const invoked = await functions.call('Invoke', { FunctionName: 'broken', Qualifier: '1' });
    assert.equal(invoked.status, 409);
  });

  it('are pending until their environment was initialised, then active and optimized', async () => {
    await functions.create('optimized', snapshotted);
    const releaseStarts = functions.environments.holdStarts();
    const made = await publish('optimized');
    assert.deepEqual(
      [made.Version, made.State, made.StateReasonCode],
      ['1', 'Pending', 'Creating'],
    );
    releaseStarts();
    await functions.untilProvisioned();
    const { State, LastUpdateStatus, SnapStart } = await record('optimized');
    assert.deepEqual([State, LastUpdateStatus], ['Active', 'Successful']);
    assert.deepEqual(SnapStart, { ApplyOn: 'PublishedVersions', OptimizationStatus: 'On' });
    assert.equal(functions.environments.prewarmed.at(-1)?.fromSnapshot, true);
    const latest = await record('optimized', '$LATEST');
    assert.equal(latest.SnapStart.OptimizationStatus, 'Off');
  });

  it('have an environment prepared again when the server starts; others have not', async () => {
    await functions.create('ordinary', {
      Runtime: 'python3.13',
      Description: '"PublishedVersions"',
    });
    await publish('ordinary');
    await functions.create('again', snapshotted);
    await publish('again');
    await functions.untilProvisioned();
    const found = await functions.ports.database.read(listSnapshotVersions);
    assert.deepEqual(
      found.map(({ name, version }) => `${name}:${version}`),
      ['again:1', 'optimized:1'],
    );
    const preparedBefore = functions.environments.prewarmed.length;
    prepareSnapshotsLater(functions.ports);
    await functions.untilProvisioned();
    const prepared = functions.environments.prewarmed.slice(preparedBefore);
    assert.deepEqual(
      prepared.map(({ functionName, version }) => `${functionName}:${version}`),
      ['again:1', 'optimized:1'],
    );
  });
});
