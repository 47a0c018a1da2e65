import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import {
  eventRequestBytesMax,
  queuedEventBytesMax,
  queuedEventsMax,
} from '#functions-contract/limits.ts';

import type { FunctionOutcome } from '../environments/execution-environment.ts';
import { assertRefused } from '../testing/assert-refused.ts';
import { arnOf, createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';

const throttled = { Reason: 'FunctionInvocationRateLimitExceeded' };

describe('the queue of asynchronous events of a function', () => {
  let service: TestFunctions;
  beforeEach(async () => {
    service = await createTestFunctions();
    await service.create('f');
    await service.create('other');
  });
  afterEach(() => service.close());

  const send = (name = 'f', payload = '{"a":1}'): ReturnType<TestFunctions['call']> =>
    service.call('Invoke', { FunctionName: name, InvocationType: 'Event', Payload: payload });

  const queues = () =>
    service.ports.database.read(async (sql) => {
      const rows = await sql.all<{ name: string; events: number; bytes: number }>(
        `select f.name, q.events, q.bytes from function_event_queues q
         join functions f on f.id = q.function_id order by f.name`,
      );
      return rows.map((row) => ({ ...row }));
    });

  const outbox = () =>
    service.ports.database.read(async (sql) => {
      const rows = await sql.all<{ messages: number; bytes: number }>(
        `select q.messages, q.message_bytes as bytes from function_event_queues q
         join functions f on f.id = q.function_id order by f.name`,
      );
      return rows.map((row) => ({ ...row }));
    });

  const stored = () =>
    service.ports.database.read(async (sql) => {
      const row = await sql.get<{ count: number }>('select count(*) as count from function_events');
      return row?.count;
    });

  /** As if so much more waited. */
  const fill = (events: number, bytes: number) =>
    service.ports.database.write((sql) =>
      sql.run(
        'update function_event_queues set events = events + $1, bytes = bytes + $2',
        events,
        bytes,
      ),
    );

  it('refuses events beyond its number, and takes them again when one has run', async () => {
    assert.equal((await send()).status, 202);
    await fill(queuedEventsMax - 1, 0);
    const refused = await send();
    assertRefused(refused, 'TooManyRequestsException', /^Rate Exceeded\./, throttled);
    assert.equal(refused.headers['retry-after'], '10');
    assert.equal((await send('other')).status, 202);
    assert.equal(await stored(), 2);
    await service.ports.events.poll();
    assert.equal((await send()).status, 202);
    assert.equal(service.environments.invoked.length, 2);
  });

  it('writes nothing of an event that it refuses', async () => {
    const newest = () =>
      service.ports.database.read(async (sql) => {
        const row = await sql.get<{ id: number }>('select max(id) as id from function_events');
        return row?.id ?? 0;
      });
    await send();
    const first = await newest();
    await fill(queuedEventsMax - 1, 0);
    for (let refused = 0; refused < 3; refused += 1) assert.equal((await send()).status, 429);
    await fill(1 - queuedEventsMax, 0);
    assert.equal((await send()).status, 202);
    // A row that was inserted and deleted would have taken an id on PostgreSQL.
    assert.equal(await newest(), first + 1);
  });

  it('refuses events beyond its bytes', async () => {
    await send();
    const payload = JSON.stringify('x'.repeat(eventRequestBytesMax - 2));
    await fill(0, queuedEventBytesMax - payload.length - '{"a":1}'.length);
    assert.equal((await send('f', payload)).status, 202);
    assertRefused(
      await send('f', '1'),
      'TooManyRequestsException',
      /bytes are the maximum/,
      throttled,
    );
  });

  it('counts exactly, whatever comes at the same time', async () => {
    await send();
    await fill(queuedEventsMax - 4, 0);
    const answers = await Promise.all(Array.from({ length: 8 }, () => send()));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [
      ...Array.from({ length: 3 }, () => 202),
      ...Array.from({ length: 5 }, () => 429),
    ]);
    assert.deepEqual(await queues(), [{ name: 'f', events: queuedEventsMax, bytes: 28 }]);
    assert.equal(await stored(), 4);
    await service.ports.events.poll();
    assert.deepEqual(await queues(), [{ name: 'f', events: queuedEventsMax - 4, bytes: 0 }]);
  });

  it('counts an event until its last attempt, and forgets them with the function', async () => {
    const failing: FunctionOutcome = {
      kind: 'failed',
      errorType: 'Error',
      payload: Buffer.from('{}'),
    };
    const during: unknown[] = [];
    service.environments.answer(async () => {
      during.push(...(await queues()));
      return failing;
    });
    await send('f', '"é"');
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await service.ports.events.poll();
      service.clock.advance(600_000);
    }
    const counted = { name: 'f', events: 1, bytes: 4 };
    assert.deepEqual(during, [counted, counted, counted]);
    assert.deepEqual(await queues(), [{ name: 'f', events: 0, bytes: 0 }]);
    await send();
    assert.equal((await service.call('DeleteFunction', { FunctionName: 'f' })).status, 204);
    assert.deepEqual(await queues(), []);
  });

  it('counts the messages about its events until their targets have taken them', async () => {
    await service.call('PutFunctionEventInvokeConfig', {
      FunctionName: 'f',
      DestinationConfig: { OnSuccess: { Destination: arnOf('other') } },
    });
    await send('other');
    await service.ports.events.poll();
    await service.ports.database.write((sql) =>
      sql.run('update function_event_queues set events = $1', queuedEventsMax),
    );
    await service.ports.database.write((sql) =>
      sql.run(
        'insert into function_event_queues (function_id, events, bytes) select id, cast($1 as bigint), 0 from functions where name = $2',
        queuedEventsMax - 1,
        'f',
      ),
    );
    assert.equal((await send()).status, 202);
    await service.ports.events.poll();
    assert.equal(await stored(), 0);
    const [own] = await outbox();
    assert.equal(own?.messages, 1);
    assert.ok(own.bytes > 100);
    assertRefused(await send(), 'TooManyRequestsException', /^Rate Exceeded\./, throttled);
    await fill(-queuedEventsMax, 0);
    service.clock.advance(600_000);
    await service.ports.events.poll();
    assert.deepEqual(await queues(), [
      { name: 'f', events: -1, bytes: 0 },
      { name: 'other', events: 0, bytes: 0 },
    ]);
    assert.deepEqual((await outbox())[0], { messages: 0, bytes: 0 });
  });

  it('counts the messages of a deleted function for the next one of its name', async () => {
    await service.call('PutFunctionEventInvokeConfig', {
      FunctionName: 'f',
      DestinationConfig: { OnSuccess: { Destination: arnOf('other') } },
    });
    await send('other');
    await service.ports.events.poll();
    await fill(queuedEventsMax, 0);
    const count = (): Promise<number | undefined> =>
      service.ports.database.read(async (sql) => {
        const row = await sql.get<{ count: number }>(
          'select count(*) as count from function_messages',
        );
        return row?.count;
      });
    assert.equal((await send()).status, 202);
    await service.ports.events.poll();
    assert.equal(await count(), 1);
    await service.ports.database.write((sql) =>
      sql.run('update function_messages set bytes = $1', queuedEventBytesMax),
    );
    for (let turn = 0; turn < 2; turn += 1) {
      assert.equal((await service.call('DeleteFunction', { FunctionName: 'f' })).status, 204);
      await service.create('f');
      assertRefused(await send(), 'TooManyRequestsException', /^Rate Exceeded\./, throttled);
    }
    await fill(-queuedEventsMax, 0);
    service.clock.advance(600_000);
    await service.ports.events.poll();
    assert.equal(await count(), 0);
    assert.equal((await send()).status, 202);
    assert.deepEqual((await outbox())[0], { messages: 0, bytes: 0 });
  });

  it('takes messages of others although its own are not taken, up to twice as many', async () => {
    for (const [from, to] of [
      ['f', 'other'],
      ['other', 'f'],
    ]) {
      await service.call('PutFunctionEventInvokeConfig', {
        FunctionName: from,
        DestinationConfig: { OnSuccess: { Destination: arnOf(to ?? '') } },
      });
      assert.equal((await send(from)).status, 202);
    }
    const fillOutbox = (messages: number) =>
      service.ports.database.write((sql) =>
        sql.run('update function_event_queues set messages = $1', messages),
      );
    await fillOutbox(2 * queuedEventsMax);
    await service.ports.events.poll();
    assert.equal(await stored(), 0);
    await fillOutbox(queuedEventsMax);
    assertRefused(await send(), 'TooManyRequestsException', /^Rate Exceeded\./, throttled);
    service.clock.advance(600_000);
    await service.ports.events.poll();
    const names = service.environments.invoked.map(({ spec }) => spec.functionName);
    assert.deepEqual(names.toSorted(), ['f', 'f', 'other', 'other']);
  });

  it('leaves records for it with their sender until there is room', async () => {
    await service.call('PutFunctionEventInvokeConfig', {
      FunctionName: 'f',
      DestinationConfig: { OnSuccess: { Destination: arnOf('other') } },
    });
    await send('other');
    await service.ports.events.poll();
    await fill(queuedEventsMax, 0);
    await send();
    await service.ports.events.poll();
    assert.equal(await stored(), 0);
    await fill(-queuedEventsMax, 0);
    service.clock.advance(600_000);
    await service.ports.events.poll();
    const names = service.environments.invoked.map(({ spec }) => spec.functionName);
    assert.deepEqual(names, ['other', 'f', 'other']);
  });

  it('delivers no record that is larger than an event may be, and says so once', async () => {
    for (const [from, to] of [
      ['f', 'other'],
      ['other', 'f'],
    ]) {
      await service.call('PutFunctionEventInvokeConfig', {
        FunctionName: from,
        DestinationConfig: { OnSuccess: { Destination: arnOf(to ?? '') } },
      });
    }
    const half = Buffer.from(JSON.stringify('x'.repeat(eventRequestBytesMax / 2)));
    service.environments.answer(() => ({ kind: 'response', payload: half }));
    await send();
    await service.ports.events.poll();
    await assert.rejects(service.ports.events.poll(), (error: Error) => {
      assert.equal(error.message, `Delivery of a message to ${arnOf('f')} failed permanently.`);
      assert.match(String(error.cause), /1048576 are the maximum of an asynchronous invocation/);
      return true;
    });
    service.clock.advance(600_000);
    await service.ports.events.poll();
    const names = service.environments.invoked.map(({ spec }) => spec.functionName);
    assert.deepEqual(names, ['f', 'other']);
    const none = { messages: 0, bytes: 0 };
    assert.deepEqual(await outbox(), [none, none]);
  });
});
