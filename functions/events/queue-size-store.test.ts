import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';
import { insertMessage } from './outbox-store.ts';
import { functionQueues } from './queue-size-store.ts';
import { isRetriedQueue, type RetriedQueue, retryNow } from './retry-store.ts';

describe('the queues of the function service', () => {
  let service: TestFunctions;
  before(async () => {
    service = await createTestFunctions();
    await service.create('f');
  });
  after(() => service.close());

  it('have what waits, and since when', async () => {
    const { database, clock } = service.ports;
    const empty = { items: 0, retrying: 0, oldestAt: undefined };
    const names = [
      'function_events',
      'function_messages',
      'durable_executions',
      'push_deployments',
    ];
    assert.deepEqual(
      await database.read(functionQueues),
      names.map((queue) => ({ queue, ...empty })),
    );
    const acceptedAt = clock.now();
    const event = { FunctionName: 'f', InvocationType: 'Event', Payload: '{}' };
    assert.equal((await service.call('Invoke', event)).status, 202);
    const message = { id: 'one', body: '{}', attributes: {}, detailType: 'none', resources: [] };
    await database.write(async (sql) => {
      await insertMessage(sql, { target: 'arn', message }, 1, acceptedAt + 1000);
      await sql.run('update function_events set attempts = 1');
    });
    assert.deepEqual((await database.read(functionQueues)).slice(0, 2), [
      { queue: 'function_events', items: 1, retrying: 1, oldestAt: acceptedAt },
      { queue: 'function_messages', items: 1, retrying: 0, oldestAt: acceptedAt + 1000 },
    ]);
  });

  it('make due what has failed, and nothing that a server is working on', async () => {
    const { database, clock } = service.ports;
    const later = clock.now() + 60_000;
    const dueOf = async (): Promise<(number | undefined)[]> =>
      database.read(async (sql) => [
        (await sql.get<{ due_at: number }>('select due_at from function_events'))?.due_at,
        (await sql.get<{ due_at: number }>('select due_at from function_messages'))?.due_at,
      ]);
    const set = (assignment: string): Promise<void> =>
      database.write(async (sql) => {
        for (const table of ['function_events', 'function_messages']) {
          await sql.run(`update ${table} set due_at = $1, attempts = 1, ${assignment}`, later);
        }
      });
    await set(`claimed_by = 'a server'`);
    const retry = (queue: RetriedQueue): Promise<number> =>
      database.write((sql) => retryNow(sql, queue, clock.now()));
    for (const queue of ['function_events', 'function_messages'] as const) {
      assert.equal(await retry(queue), 0, queue);
    }
    await set('claimed_by = null');
    for (const queue of ['function_events', 'function_messages'] as const) {
      assert.equal(await retry(queue), 1, queue);
      assert.equal(await retry(queue), 0, 'twice');
    }
    assert.deepEqual(await dueOf(), [clock.now(), clock.now()]);
    for (const queue of ['durable_executions', 'accounts', '__proto__', '']) {
      assert.equal(isRetriedQueue(queue), false, queue);
    }
  });
});
