import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { createLog } from '#platform/log.ts';

import { ensureProvisionedLater, resumeWaiting } from '../concurrency/ensure-provisioned.ts';
import { createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';
import { createTestHomes, type TestHomes } from '../testing/test-homes.ts';
import { createHomeTakeover, type HomeTakeover } from './home-takeover.ts';

describe('the home of a function', () => {
  let homes: TestHomes;
  let functions: TestFunctions;
  let work: HomeTakeover;
  let woken: number;
  beforeEach(async () => {
    homes = createTestHomes();
    functions = await createTestFunctions({ homes });
    woken = 0;
    const log = createLog('error', (line) => assert.fail(line));
    const worker = {
      wake() {
        woken += 1;
      },
    };
    work = createHomeTakeover({ ...functions.ports, log, workers: [worker] });
  });
  afterEach(async () => {
    await work.close();
    await functions.close();
  });

  const stateOf = async (FunctionName: string): Promise<string> =>
    (await functions.call('GetFunctionConfiguration', { FunctionName })).body.State;
  const statusOf = async (FunctionName: string, Qualifier: string): Promise<string> => {
    const named = { FunctionName, Qualifier };
    return (await functions.call('GetProvisionedConcurrencyConfig', named)).body.Status;
  };
  const provision = (Qualifier: string): Promise<unknown> =>
    functions.call('PutProvisionedConcurrencyConfig', {
      FunctionName: 'fn',
      Qualifier,
      ProvisionedConcurrentExecutions: 1,
    });
  const settled = async (): Promise<void> => {
    await work.poll();
    await functions.untilProvisioned();
  };

  it('provisions what another server has created', async () => {
    homes.own('own');
    await functions.create('own');
    await functions.create('other');
    await settled();
    assert.deepEqual([await stateOf('own'), await stateOf('other')], ['Active', 'Pending']);
    homes.own('own', 'other');
    await settled();
    assert.equal(await stateOf('other'), 'Active');
  });

  it('starts the provisioned concurrency that another server has moved', async () => {
    await functions.create('fn');
    await functions.call('PublishVersion', { FunctionName: 'fn' });
    await functions.call('CreateAlias', { FunctionName: 'fn', Name: 'live', FunctionVersion: '1' });
    await functions.untilProvisioned();
    await functions.call('PutProvisionedConcurrencyConfig', {
      FunctionName: 'fn',
      Qualifier: 'live',
      ProvisionedConcurrentExecutions: 2,
    });
    await functions.untilProvisioned();
    assert.equal(functions.environments.provisioned.get('fn:1'), 2);
    await functions.call('UpdateFunctionConfiguration', { FunctionName: 'fn', Timeout: 9 });
    await functions.untilProvisioned();
    await functions.call('PublishVersion', { FunctionName: 'fn' });
    await functions.untilProvisioned();
    homes.own();
    // As the deployment of a push does on another server.
    await functions.ports.database.write((sql) =>
      sql.run("update function_aliases set number = 2 where name = 'live'"),
    );
    ensureProvisionedLater(functions.ports, 'fn', 'live');
    await functions.untilProvisioned();
    assert.equal(functions.environments.provisioned.get('fn:2'), undefined);
    assert.equal(await statusOf('fn', 'live'), 'IN_PROGRESS');
    homes.own('fn');
    await settled();
    assert.equal(functions.environments.provisioned.get('fn:2'), 2);
    assert.equal(functions.environments.provisioned.get('fn:1'), 0, 'those that it had before');
  });

  it('keeps provisioned what was requested of it while it took over from another server', async () => {
    await functions.create('fn');
    for (const version of ['1', '2']) {
      const changed = { FunctionName: 'fn', Description: version };
      await functions.call('UpdateFunctionConfiguration', changed);
      await functions.untilProvisioned();
      await functions.call('PublishVersion', { FunctionName: 'fn' });
      await functions.untilProvisioned();
      await provision(version);
    }
    await functions.untilProvisioned();
    // The row comes between the two reads.
    const { database } = functions.ports;
    await database.write((sql) =>
      sql.run("update function_provisioned set status = 'IN_PROGRESS' where qualifier = '1'"),
    );
    await database.write((sql) =>
      sql.run("delete from function_provisioned where qualifier = '2'"),
    );
    const { environments } = functions.ports;
    const interrupted = {
      ...functions.ports,
      environments: {
        ...environments,
        releaseProvisioned(name: string, except: ReadonlySet<number>) {
          environments.releaseProvisioned(name, except);
          requested = provision('2');
        },
      },
    };
    let requested: Promise<unknown> | undefined;
    await resumeWaiting(interrupted);
    await requested;
    await functions.untilProvisioned();
    const { provisioned } = functions.environments;
    assert.deepEqual([provisioned.get('fn:1'), provisioned.get('fn:2')], [1, 1]);
  });

  it('is changed: the former one closes its environments, the new one starts and wakes what is due', async () => {
    await functions.create('fn');
    await functions.call('PublishVersion', { FunctionName: 'fn' });
    await functions.untilProvisioned();
    await functions.call('PutProvisionedConcurrencyConfig', {
      FunctionName: 'fn',
      Qualifier: '1',
      ProvisionedConcurrentExecutions: 3,
    });
    await functions.untilProvisioned();
    work.start();
    homes.own('other');
    await functions.untilProvisioned();
    const [retains] = functions.environments.retained;
    assert.ok(retains);
    assert.deepEqual([retains('fn'), retains('other')], [false, true]);
    assert.equal(woken, 1);
    assert.equal(await statusOf('fn', '1'), 'READY');
    functions.environments.failStarts({ code: 'FunctionError.RuntimeInitError', text: 'No.' });
    homes.own('fn');
    await settled();
    assert.equal(woken, 2);
    // What is provisioned is read behind the change.
    while ((await statusOf('fn', '1')) === 'READY') await settled();
    assert.equal(await statusOf('fn', '1'), 'FAILED');
  });

  it('alone runs its events, delivers its messages, and continues its executions', async () => {
    const durable = { DurableConfig: { ExecutionTimeout: 600, RetentionPeriodInDays: 2 } };
    await functions.create('own');
    await functions.create('other');
    await functions.create('durable', durable);
    functions.environments.answer((event) => ({
      kind: 'response',
      payload: Buffer.from(
        JSON.parse(Buffer.from(event.payload).toString()).DurableExecutionArn === undefined
          ? '{}'
          : '{"Status":"SUCCEEDED"}',
      ),
    }));
    const send = (FunctionName: string): Promise<unknown> =>
      functions.call('Invoke', { FunctionName, InvocationType: 'Event', Payload: '{}' });
    await send('own');
    await send('other');
    await send('durable:$LATEST');
    const ran = (): string[] =>
      functions.environments.invoked.map(({ spec }) => spec.functionName).toSorted();
    homes.own('own');
    await functions.ports.events.poll();
    await functions.ports.durable.poll();
    assert.deepEqual(ran(), ['own']);
    homes.own('other', 'durable');
    await functions.ports.events.poll();
    await functions.ports.durable.poll();
    assert.deepEqual(ran(), ['durable', 'other', 'own']);
  });

  it('alone deactivates a function that is unused', async () => {
    await functions.create('own');
    await functions.create('other');
    homes.own('own');
    functions.clock.advance(25 * 3_600_000);
    await functions.inactivity.sweep();
    assert.deepEqual([await stateOf('own'), await stateOf('other')], ['Inactive', 'Active']);
  });
});
