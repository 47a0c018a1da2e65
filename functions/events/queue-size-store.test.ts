import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';
import { insertMessage } from './outbox-store.ts';
import { functionQueues } from './queue-size-store.ts';

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
});
