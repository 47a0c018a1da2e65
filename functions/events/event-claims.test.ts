import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { genericPlan } from '#platform/testing/generic-plan.ts';
import { testPostgresUrl } from '#platform/testing/test-postgres.ts';

import type { FunctionOutcome } from '../environments/execution-environment.ts';
import { openInvocations } from '../open-function-runs.ts';
import { arnOf, createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';
import {
  claimEvent,
  claimMilliseconds,
  dueEvents,
  functionsWithDueEvents,
  renewClaims,
} from './event-store.ts';
import { createPollingWorker } from '#platform/polling-worker.ts';
import type { EventQueue } from './event-queue.ts';
import {
  claimMessage,
  dueMessages,
  insertMessage,
  putOffMessage,
  removeMessage,
} from './outbox-store.ts';

const failed: FunctionOutcome = { kind: 'failed', errorType: 'Error', payload: Buffer.from('{}') };
const succeeded: FunctionOutcome = { kind: 'response', payload: Buffer.from('{}') };

describe('the poll for due events', () => {
  it(
    'reads by an index, whatever waits',
    { skip: testPostgresUrl === undefined && 'this is about the planner of PostgreSQL' },
    async () => {
      const service = await createTestFunctions();
      try {
        const { database } = service.ports;
        await service.create('f');
        await database.write((sql) =>
          sql.run(
            `insert into function_events (function_id, request_id, payload, accepted_at, due_at)
             select f.id, 'request ' || i, '{}', 0, 1000000 + i from functions f, generate_series(1, 5000) i`,
          ),
        );
        await database.write((sql) => sql.all('analyze function_events'));
        const plan = await genericPlan(database, (sql) => functionsWithDueEvents(sql, 1_000_000));
        assert.match(plan, /function_events_due/);
        assert.doesNotMatch(plan, /Seq Scan/);
      } finally {
        await service.close();
      }
    },
  );
});

describe('claims of several servers on one database', () => {
  let service: TestFunctions;
  const queues: EventQueue[] = [];
  beforeEach(async () => {
    service = await createTestFunctions();
    await service.create('f');
  });
  afterEach(async () => {
    for (const queue of queues.splice(0)) await queue.close();
    await service.close();
  });

  /** The queue of another server with the same database. */
  function otherServer(serverId: string): EventQueue {
    const { ports, inactivity } = service;
    const { events } = openInvocations({
      ...ports,
      inactivity,
      environments: service.environments,
      serverId,
      timings: { retryMilliseconds: [0, 0], delayMilliseconds: 1000 },
      onError: (error) => {
        throw error;
      },
    });
    queues.push(events);
    return events;
  }

  const send = (): ReturnType<TestFunctions['call']> =>
    service.call('Invoke', { FunctionName: 'f', InvocationType: 'Event', Payload: '{}' });

  const left = (): Promise<{ attempts: number; claimed_by: string | null }[]> =>
    service.ports.database.read(async (sql) => {
      const rows = await sql.all<{ attempts: number; claimed_by: string | null }>(
        'select attempts, claimed_by from function_events order by id',
      );
      return rows.map((row) => ({ ...row }));
    });

  /** Claims the only event for a server that does nothing with it. */
  async function claimFor(serverId: string): Promise<void> {
    const { database, clock } = service.ports;
    await database.write(async (sql) => {
      const [due] = await dueEvents(sql, 1, clock.now(), 1);
      assert.ok(due, 'the event is due');
      assert.ok(await claimEvent(sql, due, serverId, clock.now()));
    });
  }

  it('are left alone by another server that starts, until their lease has run out', async () => {
    await send();
    await claimFor('first');
    const second = otherServer('second');
    await second.start();
    await second.poll();
    assert.equal(service.environments.invoked.length, 0);
    service.clock.advance(claimMilliseconds);
    await second.poll();
    assert.equal(service.environments.invoked.length, 1);
    assert.deepEqual(await left(), []);
  });

  it('are released by the start of the server that had them', async () => {
    await send();
    await claimFor('first');
    const again = otherServer('first');
    await again.start();
    await again.poll();
    assert.equal(service.environments.invoked.length, 1);
  });

  /** An event that one server still runs when another has claimed it, and what comes of the first. */
  async function runWithClaimLost(outcome: FunctionOutcome): Promise<void> {
    await service.create('reported');
    await service.call('PutFunctionEventInvokeConfig', {
      FunctionName: 'f',
      DestinationConfig: {
        OnSuccess: { Destination: arnOf('reported') },
        OnFailure: { Destination: arnOf('reported') },
      },
    });
    const { promise: started, resolve: begin } = Promise.withResolvers<void>();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    service.environments.answer(async () => {
      begin();
      await ended;
      return outcome;
    });
    await send();
    const running = otherServer('slow').poll();
    await started;
    service.clock.advance(claimMilliseconds);
    await claimFor('quick');
    end();
    await running;
  }

  for (const [name, outcome] of [
    ['failure', failed],
    ['success', succeeded],
  ] as const) {
    it(`let no ${name} be written once they are lost`, async () => {
      await runWithClaimLost(outcome);
      assert.deepEqual(await left(), [{ attempts: 0, claimed_by: 'quick' }]);
      const names = service.environments.invoked.map(({ spec }) => spec.functionName);
      assert.deepEqual(names, ['f'], 'no destination was reported');
      service.environments.answer(() => succeeded);
      service.clock.advance(claimMilliseconds);
      await otherServer('quick').poll();
      assert.deepEqual(await left(), []);
      const all = service.environments.invoked.map(({ spec }) => spec.functionName);
      assert.deepEqual(all, ['f', 'f', 'reported']);
    });
  }

  it('on messages let no outcome be written once they are lost', async () => {
    const { database, clock } = service.ports;
    const message = { id: 'm', body: '{}', attributes: {}, detailType: '', resources: [] };
    await database.write((sql) =>
      insertMessage(sql, { target: arnOf('f'), message }, 1, clock.now()),
    );
    const claim = (serverId: string) =>
      database.write(async (sql) => {
        const [due] = await dueMessages(sql, clock.now(), { toOne: 1, inAll: 1, offset: 0 });
        return due && claimMessage(sql, due, serverId, clock.now());
      });
    const slow = await claim('slow');
    assert.equal(await claim('quick'), undefined, 'it is not due meanwhile');
    service.clock.advance(claimMilliseconds);
    const quick = await claim('quick');
    assert.ok(slow && quick);
    await database.write((sql) => putOffMessage(sql, slow, { at: 0, attempts: 9 }));
    assert.equal(await database.write((sql) => removeMessage(sql, slow)), false);
    assert.equal(await claim('third'), undefined, 'it was not put off');
    assert.equal(await database.write((sql) => removeMessage(sql, quick)), true);
  });

  it('are renewed while the work goes on', async () => {
    const { promise: renewed, resolve: renew } = Promise.withResolvers<readonly number[]>();
    const { promise: worked, resolve: endWork } = Promise.withResolvers<void>();
    const found = [{ id: 7, group: 'all' }];
    const work = createPollingWorker({
      runningMax: 1,
      renewMilliseconds: 1,
      find: async () => found.splice(0),
      run: () => worked,
      renew: async (ids) => renew(ids),
      onError: (error) => {
        throw error;
      },
    });
    work.start();
    assert.deepEqual(await renewed, [7]);
    endWork();
    await work.close();
  });

  it('are renewed for the server that has them, and for no other', async () => {
    await send();
    await claimFor('first');
    const { database, clock } = service.ports;
    const dueAt = () =>
      database.read(async (sql) => {
        const row = await sql.get<{ due_at: number }>('select due_at from function_events');
        return row?.due_at;
      });
    service.clock.advance(1000);
    const before = await dueAt();
    await database.write((sql) => renewClaims(sql, 'function_events', 'other', [1], clock.now()));
    assert.equal(await dueAt(), before);
    await database.write((sql) => renewClaims(sql, 'function_events', 'first', [1], clock.now()));
    assert.equal(await dueAt(), clock.now() + claimMilliseconds);
  });
});
