import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import { assertRefused } from '../testing/assert-refused.ts';
import { createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';
import { putProvisioned } from './concurrency-store.ts';
import { ensureProvisionedLater, resumeReady } from './ensure-provisioned.ts';

describe('all provisioned concurrency together', () => {
  let functions: TestFunctions;
  const names = ['one', 'two'];
  before(async () => {
    functions = await createTestFunctions();
    for (const FunctionName of names) {
      await functions.create(FunctionName, { Publish: true });
      await functions.call('CreateAlias', { FunctionName, Name: 'live', FunctionVersion: '1' });
    }
  });
  after(() => functions.close());
  beforeEach(async () => {
    for (const FunctionName of names) {
      for (const Qualifier of ['1', 'live']) {
        const config = { FunctionName, Qualifier };
        await functions.call('DeleteProvisionedConcurrencyConfig', config);
      }
      await functions.call('DeleteFunctionConcurrency', { FunctionName });
    }
    await functions.untilProvisioned();
  });

  const put = (FunctionName: string, Qualifier: string, ProvisionedConcurrentExecutions: number) =>
    functions.call('PutProvisionedConcurrencyConfig', {
      FunctionName,
      Qualifier,
      ProvisionedConcurrentExecutions,
    });
  const reserve = (FunctionName: string, ReservedConcurrentExecutions: number) =>
    functions.call('PutFunctionConcurrency', { FunctionName, ReservedConcurrentExecutions });
  /** As an earlier version accepted it. */
  const store = async (name: string, requested: number): Promise<void> =>
    functions.ports.database.write(async (sql) => {
      const found = await sql.get<{ id: number }>('select id from functions where name = $1', name);
      assert.ok(found);
      await putProvisioned(sql, found.id, '1', requested, 1);
    });

  it('is no more than the environments of the host', async () => {
    assert.equal((await put('one', '1', 60)).status, 202);
    assertRefused(
      await put('two', '1', 41),
      'InvalidParameterValueException',
      'Specified ConcurrentExecutions for function is greater than the maximum number of execution environments of this server [100] minus those that are provisioned already [60].',
    );
    assert.equal((await put('two', '1', 40)).status, 202);
    assert.equal((await put('one', 'live', 1)).status, 400);
    // Replaced, not added.
    assert.equal((await put('one', '1', 59)).status, 202);
    assert.equal((await put('one', 'live', 1)).status, 202);
  });

  it('of one function is no more than its reservation', async () => {
    await reserve('one', 5);
    assert.equal((await put('two', '1', 5)).status, 202);
    assert.equal((await put('one', '1', 3)).status, 202);
    assertRefused(
      await put('one', 'live', 3),
      'InvalidParameterValueException',
      'Requested Provisioned Concurrency should not be greater than the reservedConcurrentExecution for function',
    );
    assert.equal((await put('one', 'live', 2)).status, 202);
  });

  it('of functions without a reservation leaves the account what it must', async () => {
    assert.equal((await put('two', '1', 50)).status, 202);
    const tooMuch =
      "decreases account's UnreservedConcurrentExecution below its minimum value of [100].";
    assertRefused(
      await reserve('one', 851),
      'InvalidParameterValueException',
      `Specified ReservedConcurrentExecutions for function ${tooMuch}`,
      'without-type',
    );
    assert.equal((await reserve('one', 850)).status, 200);
    assertRefused(
      await put('two', 'live', 1),
      'InvalidParameterValueException',
      `Specified ConcurrentExecutions for function ${tooMuch}`,
      'without-type',
    );
    // Taken from the reservation.
    assert.equal((await put('one', 'live', 50)).status, 202);
  });

  it('stays where it was accepted, and may be lowered', async () => {
    await store('one', 90);
    await store('two', 90);
    assert.equal((await put('one', '1', 90)).status, 202);
    assert.equal((await put('one', '1', 91)).status, 400);
    assert.equal((await put('one', '1', 80)).status, 202);
  });

  it('is not started beyond the environments of the host, where more was accepted before', async () => {
    await store('one', 70);
    await store('two', 40);
    assert.equal(await resumeReady(functions.ports), 2);
    await functions.untilProvisioned();
    const provisioned = (name: string) => functions.environments.provisioned.get(`${name}:1`);
    assert.deepEqual([provisioned('one'), provisioned('two')], [70, 0]);
    const config = { FunctionName: 'two', Qualifier: '1' };
    const { body } = await functions.call('GetProvisionedConcurrencyConfig', config);
    assert.deepEqual([body.Status, body.StatusReason], ['FAILED', 'InsufficientCapacity']);
    assert.equal((await put('two', '1', 30)).status, 202);
    await functions.untilProvisioned();
    assert.equal(provisioned('two'), 30);
  });

  it('of a version is what its number and its aliases have together', async () => {
    const environments = (): number | undefined => functions.environments.provisioned.get('one:1');
    const stateOf = async (Qualifier: string): Promise<unknown> => {
      const config = { FunctionName: 'one', Qualifier };
      const { body } = await functions.call('GetProvisionedConcurrencyConfig', config);
      return [body.Status, body.AvailableProvisionedConcurrentExecutions];
    };
    const alias = { FunctionName: 'one', Name: 'other', FunctionVersion: '1' };
    await functions.call('CreateAlias', alias);
    await put('one', '1', 2);
    await put('one', 'live', 3);
    await put('one', 'other', 4);
    await functions.untilProvisioned();
    assert.equal(environments(), 9);
    await functions.call('DeleteProvisionedConcurrencyConfig', {
      FunctionName: 'one',
      Qualifier: 'live',
    });
    await functions.untilProvisioned();
    assert.equal(environments(), 6);
    assert.equal((await functions.call('DeleteAlias', alias)).status, 204);
    await functions.untilProvisioned();
    assert.equal(environments(), 2);
    assert.deepEqual(await stateOf('1'), ['READY', 2]);
  });

  describe('that is changed between the look at it and the start of its environments', () => {
    /** Does the background work, and the change in the middle of it. */
    async function ensureWith(change: () => Promise<unknown>, FunctionName: string): Promise<void> {
      const { database } = functions.ports;
      let reads = 0;
      const changing: typeof database = {
        ...database,
        async read(work) {
          const value = await database.read(work);
          reads += 1;
          // The first read finds the version, the second one what is provisioned for it.
          if (reads === 2) await change();
          return value;
        },
      };
      ensureProvisionedLater({ ...functions.ports, database: changing }, FunctionName, '1');
      await functions.untilProvisioned();
    }

    it('is what is stored last', async () => {
      await put('one', '1', 5);
      await functions.untilProvisioned();
      const config = { FunctionName: 'one', Qualifier: '1' };
      await ensureWith(() => functions.call('DeleteProvisionedConcurrencyConfig', config), 'one');
      assert.equal(functions.environments.provisioned.get('one:1'), 0);
    });

    it('has no environments if its version was deleted', async () => {
      const FunctionName = 'short-lived';
      await functions.create(FunctionName, { Publish: true });
      await put(FunctionName, '1', 5);
      await functions.untilProvisioned();
      const { drained } = functions.environments;
      let atDeletion = 0;
      await ensureWith(async () => {
        await functions.call('DeleteFunction', { FunctionName, Qualifier: '1' });
        atDeletion = drained.length;
      }, FunctionName);
      assert.equal(drained.length, atDeletion + 1);
      assert.deepEqual(drained.at(-1), drained.at(-2));
    });
  });

  it('is counted by requests at the same time', async () => {
    const both = await Promise.all(names.map((name) => put(name, '1', 51)));
    assert.deepEqual(both.map(({ status }) => status).toSorted(), [202, 400]);
  });
});
